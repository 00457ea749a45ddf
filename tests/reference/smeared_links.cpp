// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "smeared_links.hpp"

#include "improved_links.hpp"

namespace kaon::reference {
namespace {

/// f(x, mu) for all links, those of the omitted direction as they are.
template <class Function>
Links smear(const Links& links, int omitted, const Coordinates& extents, Function&& f) {
  Links result;
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu) {
      const ColorMatrix u = mu == omitted ? link(links, x, mu, extents) : f(x, mu);
      result.insert(result.end(), u.begin(), u.end());
    }
  });
  return result;
}

/// Directions that are neither mu nor one of the others.
std::vector<int> directions_but(std::initializer_list<int> others) {
  std::vector<int> found;
  for (int nu = 0; nu < directions; ++nu)
    if (std::find(others.begin(), others.end(), nu) == others.end()) found.push_back(nu);
  return found;
}

/// The two staples of V_mu between W_nu on either side.
template <class Side, class Along>
ColorMatrix two_staples(const Side& w, const Along& v, const Coordinates& x, int mu, int nu,
                        const Coordinates& extents) {
  const Coordinates ahead = neighbor(x, mu, 1, extents), up = neighbor(x, nu, 1, extents);
  const Coordinates down = neighbor(x, nu, -1, extents);
  return w(x) * v(up) * dagger(w(ahead)) + dagger(w(down)) * v(down) * w(neighbor(ahead, nu, -1, extents));
}

ColorMatrix blend(const ColorMatrix& u, double alpha, const ColorMatrix& sum, double paths) {
  return project_to_su3(Complex(1.0 - alpha) * u + Complex(alpha / paths) * sum);
}

}  // namespace

ColorMatrix exponential(const ColorMatrix& a) {
  ColorMatrix sum = identity_color_matrix(), term = sum;
  for (int n = 1; n < 80; ++n) {
    term = Complex(1.0 / n) * (term * a);
    sum = sum + term;
  }
  return sum;
}

ColorMatrix traceless_antihermitian(const ColorMatrix& a) {
  const ColorMatrix b = Complex(0.5) * (a + Complex(-1.0) * dagger(a));
  return b + (trace(b) * Complex(-1.0 / 3.0)) * identity_color_matrix();
}

ColorMatrix staples(const Links& links, const Coordinates& x, int mu, const LoopWeights& weights, int omitted,
                    const Coordinates& extents) {
  const int m = mu + 1;
  ColorMatrix sum{};
  const auto add = [&](double weight, const std::vector<int>& steps) {
    if (weight != 0.0) sum = sum + Complex(weight) * path_product(links, x, steps, extents);
  };
  for (const int nu : directions_but({mu, omitted})) {
    const double in_plane = nu == 3 ? weights.of_plane(mu, nu) : 1.0;
    for (const int n : {nu + 1, -nu - 1}) {
      add(in_plane * weights.plaquette, {n, m, -n});
      add(in_plane * weights.rectangle, {n, n, m, -n, -n});
      add(in_plane * weights.rectangle, {-m, n, m, m, -n});
      add(in_plane * weights.rectangle, {n, m, m, -n, -m});
    }
  }
  return sum;
}

Links stout_links(const Links& links, double rho, const LoopWeights& weights, int omitted, const Coordinates& extents) {
  return smear(links, omitted, extents, [&](const Coordinates& x, int mu) {
    const ColorMatrix u = link(links, x, mu, extents);
    const ColorMatrix c = staples(links, x, mu, weights, omitted, extents);
    return exponential(Complex(rho) * traceless_antihermitian(c * dagger(u))) * u;
  });
}

ColorMatrix project_to_su3(const ColorMatrix& v) {
  const ColorMatrix w = project_to_u3(v);
  return std::polar(1.0, -std::arg(determinant(w)) / 3.0) * w;
}

Links ape_links(const Links& links, double alpha, int omitted, const Coordinates& extents, double anisotropy) {
  const double paths = omitted == none_omitted ? 6.0 : 4.0;
  return smear(links, omitted, extents, [&](const Coordinates& x, int mu) {
    return blend(link(links, x, mu, extents), alpha,
                 staples(links, x, mu, {.anisotropy = anisotropy}, omitted, extents), paths);
  });
}

Links hyp_links(const Links& links, const std::array<double, 3>& alpha, int omitted, const Coordinates& extents) {
  // First level: the links of direction mu, decorated with staples in direction eta alone.
  std::array<std::array<Links, 4>, 4> first, second;
  for (int mu = 0; mu < directions; ++mu) {
    for (const int eta : directions_but({mu, omitted})) {
      first[mu][eta] = smear(links, none_omitted, extents, [&](const Coordinates& x, int rho) {
        if (rho != mu) return link(links, x, rho, extents);
        const auto along = [&](const Coordinates& y) { return link(links, y, mu, extents); };
        const auto side = [&](const Coordinates& y) { return link(links, y, eta, extents); };
        return blend(along(x), alpha[2], two_staples(side, along, x, mu, eta, extents), 2.0);
      });
    }
  }
  // The next level, without staples in direction nu.
  const auto next_level = [&](const Coordinates& x, int mu, int nu) {
    ColorMatrix sum{};
    for (const int rho : directions_but({mu, nu})) {
      const int eta = directions_but({mu, nu, rho}).front();
      const auto along = [&](const Coordinates& y) { return link(first[mu][eta], y, mu, extents); };
      const auto side = [&](const Coordinates& y) { return link(first[rho][eta], y, rho, extents); };
      sum = sum + two_staples(side, along, x, mu, rho, extents);
    }
    return blend(link(links, x, mu, extents), alpha[1], sum, 4.0);
  };
  if (omitted != none_omitted) {
    return smear(links, omitted, extents, [&](const Coordinates& x, int mu) { return next_level(x, mu, omitted); });
  }
  for (int mu = 0; mu < directions; ++mu) {
    for (const int nu : directions_but({mu})) {
      second[mu][nu] = smear(links, none_omitted, extents, [&](const Coordinates& x, int rho) {
        return rho == mu ? next_level(x, mu, nu) : link(links, x, rho, extents);
      });
    }
  }
  return smear(links, none_omitted, extents, [&](const Coordinates& x, int mu) {
    ColorMatrix sum{};
    for (const int nu : directions_but({mu})) {
      const auto along = [&](const Coordinates& y) { return link(second[mu][nu], y, mu, extents); };
      const auto side = [&](const Coordinates& y) { return link(second[nu][mu], y, nu, extents); };
      sum = sum + two_staples(side, along, x, mu, nu, extents);
    }
    return blend(link(links, x, mu, extents), alpha[0], sum, 6.0);
  });
}

}  // namespace kaon::reference
