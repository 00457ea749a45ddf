// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"
#include "capi/operator_options.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/solvers/solver.hpp>

#include <algorithm>
#include <cmath>

using namespace kaon::capi;

const kaon_operator& kaon::capi::current(const kaon_operator* dirac) {
  dirac->links_as_made.require_unchanged();
  return *dirac;
}

kaon::SchurParameters kaon::capi::schur_parameters(const kaon_schur_options* options) {
  const kaon_schur_options& given = options_or_defaults(options);
  return {.form = choice<SchurForm>(given.form, 2, "form of a Schur complement"),
          .parity = choice<kaon_parity>(given.parity, "parity") == KAON_EVEN ? Parity::even : Parity::odd};
}

namespace {

/// The links that operators are made of. Throws `Error` for links that are all zero because they were never set.
const kaon_gauge& links_that_are_set(const kaon_gauge* links) {
  kaon::require(!links->changes.none(), "the links are zero: read them, or set or start them first");
  return *links;
}

kaon_operator* improved_operator(const kaon_gauge& on, const kaon::ImprovedLinks& links,
                                 const kaon::FermionParameters& quark, const LinksAsMade& links_as_made) {
  return new kaon_operator{on.place, kaon_operator::In<double>{kaon::make_quark(links, quark), links.fat.share()},
                           links_as_made};
}

/// Calls body(dirac) with the operator in its precision.
template <class Body>
void with_operator(const kaon_operator* dirac, const Body& body) {
  std::visit([&]<class T>(const kaon_operator::In<T>& in) { body(in.dirac); }, current(dirac).in);
}

template <class T>
void apply(const kaon::LinearOperator<T>& matrix, kaon_form form, kaon::SpinorField<T>& out,
           const kaon::SpinorField<T>& in) {
  switch (choice<kaon_form>(form, "form of an operator")) {
    case KAON_M:
      return matrix.apply(out, in);
    case KAON_M_DAGGER:
      return kaon::adjointable(matrix).apply_dagger(out, in);
    case KAON_M_DAGGER_M:
      break;
  }
  kaon::SpinorField<T> product(in.lattice(), in.parameters());
  matrix.apply(product, in);
  kaon::adjointable(matrix).apply_dagger(out, product);
}

}  // namespace

extern "C" {

kaon_status kaon_operator_create(const kaon_gauge* gauge, const kaon_operator_options* options, kaon_operator** dirac) {
  return collective(__func__, {{"gauge", gauge}, {"options", options}, {"dirac", dirac}}, [&] {
    const kaon_gauge& on = links_that_are_set(gauge);
    const kaon_operator_options& given = checked(*options);
    require_read(given);
    const kaon::FermionParameters parameters = fermion_parameters(given);
    if (family_of(given).makes_links()) {
      *dirac = improved_operator(on, improved_links(on, parameters), parameters, {});
      return;
    }
    std::visit(
        [&]<class T>(const kaon::GaugeField<T>& links) {
          *dirac = new kaon_operator{on.place, kaon_operator::In<T>{kaon::make_quark(links, parameters), links.share()},
                                     LinksAsMade(on.changes)};
        },
        on.links);
  });
}

kaon_status kaon_operator_create_clover(const kaon_gauge* gauge, const kaon_array* term, const kaon_array* inverse,
                                        const kaon_operator_options* options, kaon_operator** dirac) {
  const Arguments arguments{{"gauge", gauge},
                            {"term", term},
                            Argument::optional({"inverse", inverse}),
                            {"options", options, or_defaults},
                            {"dirac", dirac}};
  return collective(__func__, arguments, [&] {
    const kaon_gauge& on = links_that_are_set(gauge);
    const kaon_operator_options& given = options_or_defaults(options);
    require_read(given, "an operator with a given site term", {"xi0", "nu"});
    const kaon::WilsonHopParameters hop{.anisotropy = {.xi0 = given.xi0, .nu = given.nu},
                                        .boundary = boundary_of(given)};
    std::visit(
        [&]<class T>(const kaon::GaugeField<T>& links) {
          kaon::CloverField<T> site_term(links.lattice()), site_term_inverse(links.lattice());
          each_alone(links.lattice(), [&] {
            kaon::copy_in(site_term, view(term));
            if (inverse != nullptr) kaon::copy_in(site_term_inverse, view(inverse));
          });
          auto clover = inverse != nullptr ? kaon::WilsonClover<T>(links, site_term, site_term_inverse, hop)
                                           : kaon::WilsonClover<T>(links, site_term, hop);
          *dirac = new kaon_operator{on.place, kaon_operator::In<T>{std::move(clover), links.share()},
                                     LinksAsMade(on.changes)};
        },
        on.links);
  });
}

kaon_status kaon_operator_create_improved(const kaon_gauge* fat, const kaon_gauge* long_links,
                                          const kaon_operator_options* options, kaon_operator** dirac) {
  const Arguments arguments{{"fat", fat}, {"long_links", long_links}, {"options", options}, {"dirac", dirac}};
  return collective(__func__, arguments, [&] {
    const kaon_gauge& on = links_that_are_set(fat);
    links_that_are_set(long_links);
    const kaon_operator_options& given = checked(*options);
    require_read(given, "an operator of given fat and long links", {"mass"});
    const kaon::ImprovedLinks links = kaon::links_from_long(in_precision<double>(on.links, "fat").share(),
                                                            in_precision<double>(long_links->links, "long_links"));
    *dirac =
        improved_operator(on, links, {.mass = mass_of(given), .boundary = boundary_of(given)}, LinksAsMade(on.changes));
  });
}

kaon_status kaon_operator_get_clover(const kaon_operator* dirac, int inverse, const kaon_array* array) {
  return call(__func__, {{"dirac", dirac}}, [&] {
    with_operator(dirac, [&]<class T>(const kaon::Quark<T>& any) {
      const auto* clover = dynamic_cast<const kaon::WilsonClover<T>*>(&*any);
      if (clover == nullptr) throw Unsupported("only a Wilson-clover operator has a site term to give");
      kaon::copy_out(view(array), inverse != 0 ? clover->site_term_inverse() : clover->site_term());
    });
  });
}

kaon_status kaon_operator_apply(const kaon_operator* dirac, kaon_form form, kaon_spinor* out, const kaon_spinor* in) {
  return collective(__func__, {{"dirac", dirac}, {"form", form}, {"out", out}, {"in", in}}, [&] {
    with_operator(dirac, [&]<class T>(const kaon::Quark<T>& any) {
      apply<T>(*any, form, in_precision<T>(out->field, "out"), in_precision<T>(in->field, "in"));
    });
  });
}

kaon_status kaon_operator_residual(const kaon_operator* dirac, const kaon_spinor* x, const kaon_spinor* b,
                                   double* relative, double* heavy_quark) {
  const Arguments arguments{{"dirac", dirac}, {"x", x}, {"b", b}, Argument::optional({"heavy_quark", heavy_quark})};
  return collective(__func__, arguments, [&] {
    with_operator(dirac, [&]<class T>(const kaon::Quark<T>& any) {
      const kaon::SpinorField<T>& solution = in_precision<T>(x->field, "x");
      const kaon::SpinorField<T>& source = in_precision<T>(b->field, "b");
      kaon::SpinorField<T> residual = any->make_field(solution.right_hand_sides());
      any->apply(residual, solution);
      const std::vector<double> r = kaon::blas::xmy_norm2(residual, source), norm2 = kaon::blas::norm2(source);
      if (relative != nullptr) {
        for (std::size_t k = 0; k < r.size(); ++k) relative[k] = std::sqrt(norm2[k] > 0.0 ? r[k] / norm2[k] : r[k]);
      }
      if (heavy_quark != nullptr) {
        const std::vector<double> found = kaon::heavy_quark_residual(residual, solution);
        std::copy(found.begin(), found.end(), heavy_quark);
      }
    });
  });
}

kaon_status kaon_operator_apply_b(const kaon_operator* dirac, int inverse, int dagger, kaon_spinor* out,
                                  const kaon_spinor* in) {
  const Arguments arguments{{"dirac", dirac}, {"inverse", inverse}, {"dagger", dagger}, {"out", out}, {"in", in}};
  return collective(__func__, arguments, [&] {
    with_operator(dirac, [&]<class T>(const kaon::Quark<T>& any) {
      const auto* wall = dynamic_cast<const kaon::DomainWall<T>*>(&*any);
      if (wall == nullptr) throw Unsupported("only a domain wall operator is M = D B^-1 with a matrix B");
      auto& to = in_precision<T>(out->field, "out");
      const auto& from = in_precision<T>(in->field, "in");
      inverse != 0 ? wall->apply_b_inverse(to, from, dagger != 0) : wall->apply_b(to, from, dagger != 0);
    });
  });
}

void kaon_schur_options_init(kaon_schur_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_schur_options), KAON_SYMMETRIC, KAON_EVEN};
}

kaon_status kaon_operator_apply_schur(const kaon_operator* dirac, const kaon_schur_options* options, kaon_form form,
                                      kaon_spinor* out, const kaon_spinor* in) {
  const Arguments arguments{
      {"dirac", dirac}, {"options", options, or_defaults}, {"form", form}, {"out", out}, {"in", in}};
  return collective(__func__, arguments, [&] {
    const kaon::SchurParameters parameters = schur_parameters(options);
    const auto apply_in = [&]<class T>(const kaon_operator::In<T>& of) {
      auto& to = in_precision<T>(out->field, "out");
      const auto& from = in_precision<T>(in->field, "in");
      kaon::require(out != in, "out is in: give a field of its own");
      kaon::SpinorField<T> image = to.parity(parameters.parity), rest = to.parity(other(parameters.parity));
      apply<T>(kaon::Schur<T>(*of.dirac, parameters), form, image, from.parity(parameters.parity));
      kaon::blas::set_zero(rest);
    };
    std::visit(apply_in, current(dirac).in);
  });
}

void kaon_operator_destroy(kaon_operator** dirac) { destroy(dirac); }
}
