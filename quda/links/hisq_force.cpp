// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/links/paths.hpp"
#include "quda/state/arrays.hpp"
#include "quda/state/state.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/gauge/staggered_force.hpp>

#include <algorithm>
#include <vector>

// The force of HISQ quarks, from links and vectors of a client's. Its links contain phases: its path coefficients
// are those for that, and outer products of vectors then need none.

namespace kaon::quda {
namespace {

/// QUDA's filter, which ignores a client's.
constexpr double force_filter = 5e-5;
/// Third links of vectors reach as far.
constexpr int reach = 3;

/// A client's vectors and their coefficients, which count 2 Re.
struct Vectors {
  void** pointers;
  double** coefficients;  ///< of one link and of three
  int count;
};

void add_products(GaugeField<double>& one, GaugeField<double>& third, const Vectors& given,
                  const GaugeDescription& description) {
  constexpr int at_a_time = 12;
  const SpinorDescription spinors{.element = description.element};
  for (int first = 0; first < given.count; first += at_a_time) {
    const int count = std::min(at_a_time, given.count - first);
    SpinorField<double> vectors(one.lattice(), {.spins = 1, .right_hand_sides = count});
    std::vector<double> of_one, of_third;
    for (int k = 0; k < count; ++k) {
      const void* const pointer = given.pointers[first + k];
      require(pointer != nullptr, [&] { return fmt::format("the pointer to quark field {} is NULL", first + k); });
      copy_in(vectors, spinors.in(pointer), k);
      of_one.push_back(0.5 * given.coefficients[first + k][0]);
      of_third.push_back(0.5 * given.coefficients[first + k][1]);
    }
    add_outer_products(one, third, vectors, of_one, of_third);
  }
}

/// Copies the matrices to another lattice of the same sites.
GaugeField<double> moved(const GaugeField<double>& field, const Lattice& lattice) {
  if (field.lattice().lane_grid<double>() == lattice.lane_grid<double>()) return field.on(lattice);
  GaugeField<double> result(lattice);
  result.from_host(field.to_host());
  return result;
}

/// A client's three levels of links and its coefficients.
struct Levels {
  const void *w, *v, *u;
  const double *second, *first;
};

GaugeField<double> matrices_of(const Levels& given, const Vectors& all, const Vectors& with_epsilon,
                               const GaugeDescription& description) {
  const Lattice& lattice = state().lattice(description.local_extents, reach);
  const PathCoefficients first = coefficients_of(given.first, "fat7_coeff"),
                         second = coefficients_of(given.second, "level2_coeff");
  HisqGradients gradients{GaugeField<double>(lattice), GaugeField<double>(lattice), GaugeField<double>(lattice)};
  add_products(gradients.fat, gradients.third, all, description);
  add_products(gradients.one, gradients.third, with_epsilon, description);
  const auto links = [&](const void* pointer) {
    GaugeField<double> field(lattice);
    copy_in(field, description.view(const_cast<void*>(pointer)));
    return field;
  };
  const GaugeField<double> u = links(given.u), v = links(given.v), w = links(given.w);
  return hisq_force({.u = u, .v = v, .w = w, .first = first, .second = second}, std::move(gradients), force_filter);
}

/// P + dt TA(U G^dag), P = 0 where the momenta are not resident: an array of a client's gets the force alone.
void kick(void* pointer, double dt, const GaugeField<double>& matrices, const QudaGaugeParam& given) {
  const bool resident = given.use_resident_mom != 0;
  const Lattice& lattice = resident ? state().momenta().lattice() : matrices.lattice();
  GaugeField<double> momenta = resident ? state().momenta().share() : GaugeField<double>(lattice);
  kick_momenta(momenta, moved(matrices, lattice), dt);
  if (given.return_result_mom != 0) {
    const Lattice& clients = state().lattice(describe_thin(given).local_extents, 1);
    write_momenta(given, pointer, moved(momenta, clients));
  }
  if (given.make_resident_mom == 0) return state().free_momenta();
  if (!resident) state().set_momenta(moved(momenta, state().lattice(describe_thin(given).local_extents, 1)));
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void computeHISQForceQuda(void* momentum, double dt, const double level2_coeff[6], const double fat7_coeff[6],
                          const void* const w_link, const void* const v_link, const void* const u_link, void** quark,
                          int num, int num_naik, double** coeff, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    require(num >= 1 && num_naik >= 0 && num_naik <= num, [&] {
      return fmt::format(
          "num = {} and num_naik = {}: at least one quark field and at most as many of them with a Naik "
          "epsilon are possible",
          num, num_naik);
    });
    require(quark != nullptr && coeff != nullptr, "quark or coeff is NULL");
    const GaugeDescription description = describe_thin(given);
    const GaugeField<double> matrices =
        matrices_of({w_link, v_link, u_link, level2_coeff, fat7_coeff}, {quark, coeff, num},
                    {quark + num - num_naik, coeff + num, num_naik}, description);
    kick(momentum, dt, matrices, given);
  });
}
}
