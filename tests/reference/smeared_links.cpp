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

double weight(const std::array<double, 4>& rho, int mu, int nu) { return rho[nu] == 0.0 ? 0.0 : rho[mu]; }

/// C_mu(x) with these weights.
ColorMatrix weighted_staples(const Links& links, const Coordinates& x, int mu, const std::array<double, 4>& rho,
                             const Coordinates& extents) {
  ColorMatrix sum{};
  for (const int nu : directions_but({mu})) {
    for (const int n : {nu + 1, -nu - 1}) {
      sum = sum + Complex(weight(rho, mu, nu)) * path_product(links, x, {n, mu + 1, -n}, extents);
    }
  }
  return sum;
}

/// exp(iQ), B_1 and B_2 of a Hermitian traceless Q, as polynomials of second degree in it.
struct ExponentialOfQ {
  ColorMatrix e = identity_color_matrix(), b1{}, b2{};
  Complex f1{0.0, 1.0}, f2 = -0.5;  // where Q = 0, of links that are not smeared

  explicit ExponentialOfQ(const ColorMatrix& q) {
    const ColorMatrix square = q * q;
    const double c0 = (trace(square * q) / 3.0).real(), c1 = (trace(square) / 2.0).real();
    if (c1 == 0.0) return;
    const double most = 2.0 * std::pow(c1 / 3.0, 1.5);
    const double theta = most > 0.0 ? std::acos(std::min(1.0, std::abs(c0) / most)) : 0.0;
    const double u = std::sqrt(c1 / 3.0) * std::cos(theta / 3.0), w = std::sqrt(c1) * std::sin(theta / 3.0);
    const double u2 = u * u, w2 = w * w, cosine = std::cos(w);
    // sin(w)/w and its derivative divided by w, which lose all digits where w is small.
    const bool is_small = std::abs(w) < 0.05;
    const double xi0 = is_small ? 1.0 - w2 / 6.0 * (1.0 - w2 / 20.0 * (1.0 - w2 / 42.0)) : std::sin(w) / w;
    const double xi1 = is_small ? -(1.0 - w2 / 10.0 * (1.0 - w2 / 28.0 * (1.0 - w2 / 54.0))) / 3.0
                                : cosine / w2 - std::sin(w) / (w2 * w);
    const Complex i(0.0, 1.0), up = std::exp(2.0 * i * u), down = std::exp(-i * u);
    const double denominator = 9.0 * u2 - w2;
    const Complex h[3] = {
        (u2 - w2) * up + down * (8.0 * u2 * cosine + 2.0 * i * u * (3.0 * u2 + w2) * xi0),
        2.0 * u * up - down * (2.0 * u * cosine - i * (3.0 * u2 - w2) * xi0),
        up - down * (cosine + 3.0 * i * u * xi0),
    };
    const Complex r1[3] = {
        2.0 * (u + i * (u2 - w2)) * up +
            2.0 * down * (4.0 * u * (2.0 - i * u) * cosine + i * (9.0 * u2 + w2 - i * u * (3.0 * u2 + w2)) * xi0),
        2.0 * (1.0 + 2.0 * i * u) * up +
            down * (-2.0 * (1.0 - i * u) * cosine + i * (6.0 * u + i * (w2 - 3.0 * u2)) * xi0),
        2.0 * i * up + i * down * (cosine - 3.0 * (1.0 - i * u) * xi0),
    };
    const Complex r2[3] = {
        -2.0 * up + 2.0 * i * u * down * (cosine + (1.0 + 4.0 * i * u) * xi0 + 3.0 * u2 * xi1),
        -i * down * (cosine + (1.0 + 2.0 * i * u) * xi0 - 3.0 * u2 * xi1),
        down * (xi0 - 3.0 * i * u * xi1),
    };
    Complex f[3], of_1[3], of_2[3];
    for (int j = 0; j < 3; ++j) {
      f[j] = h[j] / denominator;
      const double twice = 2.0 * denominator * denominator;
      of_1[j] = (2.0 * u * r1[j] + (3.0 * u2 - w2) * r2[j] - 2.0 * (15.0 * u2 + w2) * f[j]) / twice;
      of_2[j] = (r1[j] - 3.0 * u * r2[j] - 24.0 * u * f[j]) / twice;
      if (c0 < 0.0) {  // f_j(-c0) = (-1)^j f_j^*(c0), b_ij with another sign (-1)^(i+1)
        const double sign = j == 1 ? -1.0 : 1.0;
        f[j] = sign * std::conj(f[j]);
        of_1[j] = sign * std::conj(of_1[j]);
        of_2[j] = -sign * std::conj(of_2[j]);
      }
    }
    const auto polynomial = [&](const Complex(&c)[3]) {
      return c[0] * identity_color_matrix() + c[1] * q + c[2] * square;
    };
    e = polynomial(f);
    b1 = polynomial(of_1);
    b2 = polynomial(of_2);
    f1 = f[1];
    f2 = f[2];
  }
};

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

Links stout_links(const Links& links, const std::array<double, 4>& rho, const Coordinates& extents) {
  return smear(links, none_omitted, extents, [&](const Coordinates& x, int mu) {
    const ColorMatrix u = link(links, x, mu, extents);
    return exponential(traceless_antihermitian(weighted_staples(links, x, mu, rho, extents) * dagger(u))) * u;
  });
}

Links stout_force(const Links& links, const std::array<double, 4>& rho, const Links& of_smeared,
                  const Coordinates& extents) {
  const Complex i(0.0, 1.0);
  const Links smeared = stout_links(links, rho, extents);
  const auto u = [&](const Coordinates& x, int mu) { return link(links, x, mu, extents); };
  const auto sigma_of_smeared = [&](const Coordinates& x, int mu) {
    return dagger(link(smeared, x, mu, extents)) * link(of_smeared, x, mu, extents);
  };
  const auto q = [&](const Coordinates& x, int mu) {
    return -i * traceless_antihermitian(weighted_staples(links, x, mu, rho, extents) * dagger(u(x, mu)));
  };
  const Links lambdas = smear(links, none_omitted, extents, [&](const Coordinates& x, int mu) {
    const ColorMatrix of = q(x, mu), with_u = u(x, mu) * sigma_of_smeared(x, mu);
    const ExponentialOfQ exponential(of);
    const ColorMatrix gamma = trace(exponential.b1 * with_u) * of + trace(exponential.b2 * with_u) * (of * of) +
                              exponential.f1 * with_u + exponential.f2 * (of * with_u + with_u * of);
    return -i * traceless_antihermitian(i * gamma);  // the traceless Hermitian part
  });
  const auto lambda = [&](const Coordinates& x, int mu) { return link(lambdas, x, mu, extents); };
  return smear(links, none_omitted, extents, [&](const Coordinates& x, int mu) {
    const ColorMatrix c = weighted_staples(links, x, mu, rho, extents);
    ColorMatrix sum = sigma_of_smeared(x, mu) * ExponentialOfQ(q(x, mu)).e + i * (dagger(c) * lambda(x, mu));
    for (const int nu : directions_but({mu})) {
      const Complex of_mu = -i * weight(rho, mu, nu), of_nu = -i * weight(rho, nu, mu);
      const Coordinates ahead = neighbor(x, mu, 1, extents), up = neighbor(x, nu, 1, extents);
      const Coordinates down = neighbor(x, nu, -1, extents), corner = neighbor(ahead, nu, -1, extents);
      const ColorMatrix over = u(ahead, nu) * dagger(u(up, mu)), back = dagger(u(x, nu));
      const ColorMatrix before = dagger(u(corner, nu)), under = dagger(u(down, mu)), behind = u(down, nu);
      sum = sum + of_nu * (over * back * lambda(x, nu)) + of_mu * (before * under * lambda(down, mu) * behind) +
            of_nu * (before * lambda(corner, nu) * under * behind) +
            (-of_nu) * (before * under * lambda(down, nu) * behind) + (-of_nu) * (lambda(ahead, nu) * over * back) +
            of_mu * (over * lambda(up, mu) * back);
    }
    return u(x, mu) * sum;
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
