// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/measure/sources.hpp>

#include <algorithm>

namespace kaon::capi {

std::vector<Argument> state_of(const kaon_spinor& of) {
  return std::visit(
      [&](const auto& field) -> std::vector<Argument> {
        return {{"lattice", field.lattice()},
                {"precision", of.field.index()},
                {"spins", field.spins()},
                {"colors", field.colors()},
                {"right_hand_sides", field.right_hand_sides()},
                {"slices", field.slices()}};
      },
      of.field);
}

}  // namespace kaon::capi

using namespace kaon::capi;

extern "C" {

void kaon_spinor_options_init(kaon_spinor_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_spinor_options), KAON_DOUBLE, 4, 3, 1, 1};
}

void kaon_source_options_init(kaon_source_options* options) { clear(options); }

kaon_status kaon_spinor_create(const kaon_lattice* lattice, const kaon_spinor_options* options, kaon_spinor** spinor) {
  return call(__func__, {{"lattice", lattice}, {"spinor", spinor}}, [&] {
    const kaon_spinor_options& given = options_or_defaults(options);
    const kaon::SpinorParameters shape{.spins = given.spins,
                                       .colors = given.colors,
                                       .right_hand_sides = given.right_hand_sides,
                                       .slices = given.slices};
    with_precision(given.precision, [&]<class T>(T) {
      *spinor = new kaon_spinor{lattice->place, kaon::SpinorField<T>(lattice->lattice, shape)};
    });
  });
}

kaon_status kaon_spinor_get_options(const kaon_spinor* spinor, kaon_spinor_options* options) {
  return call(__func__, {{"spinor", spinor}}, [&] {
    checked(needed(options, "options"));
    std::visit(
        [&]<class T>(const kaon::SpinorField<T>& field) {
          options->precision = std::is_same_v<T, double> ? KAON_DOUBLE : KAON_SINGLE;
          options->spins = field.spins();
          options->colors = field.colors();
          options->right_hand_sides = field.right_hand_sides();
          options->slices = field.slices();
        },
        spinor->field);
  });
}

kaon_status kaon_spinor_set(kaon_spinor* spinor, int right_hand_side, const kaon_array* array) {
  return call(__func__, {{"spinor", spinor}}, [&] {
    std::visit([&](auto& field) { kaon::copy_in(field, view(array), right_hand_side); }, spinor->field);
  });
}

kaon_status kaon_spinor_get(const kaon_spinor* spinor, int right_hand_side, const kaon_array* array) {
  return call(__func__, {{"spinor", spinor}}, [&] {
    std::visit([&](const auto& field) { kaon::copy_out(view(array), field, right_hand_side); }, spinor->field);
  });
}

kaon_status kaon_spinor_source(kaon_spinor* spinor, const kaon_source_options* options) {
  return collective(__func__, {{"spinor", spinor}, {"options", options}}, [&] {
    const kaon_source_options& given = checked(*options);
    kaon::Coordinates site{};
    std::copy_n(given.site, 4, site.begin());
    const auto set = [&](auto& field) {
      switch (choice<kaon_source_kind>(given.kind, "kind of a source")) {
        case KAON_POINT_SOURCES:
          return kaon::set_point_sources(field, {.site = site});
        case KAON_POINT_SOURCE:
          return kaon::set_point_source(field, {.site = site, .spin = given.spin, .color = given.color});
        case KAON_Z2_WALL_SOURCE:
          return kaon::set_z2_wall_source(field, {.time = site[3], .key = {.seed = given.seed}});
        case KAON_GAUSSIAN_NOISE:
          return kaon::set_gaussian(field, {.seed = given.seed});
        case KAON_WALL_SOURCES:
          return kaon::set_uniform_wall_sources(field, {.time = site[3], .sites = kaon::WallSites::all});
        case KAON_EVEN_WALL_SOURCES:
          return kaon::set_uniform_wall_sources(field, {.time = site[3], .sites = kaon::WallSites::even});
        case KAON_CORNER_WALL_SOURCES:
          return kaon::set_uniform_wall_sources(field, {.time = site[3], .sites = kaon::WallSites::corners});
      }
    };
    std::visit(set, spinor->field);
  });
}

kaon_status kaon_spinor_norm2(const kaon_spinor* spinor, double* each_right_hand_side) {
  return collective(__func__, {{"spinor", spinor}, {"each_right_hand_side", each_right_hand_side}}, [&] {
    const std::vector<double> norms =
        std::visit([](const auto& field) { return kaon::blas::norm2(field); }, spinor->field);
    std::copy(norms.begin(), norms.end(), each_right_hand_side);
  });
}

void kaon_quark_smear_options_init(kaon_quark_smear_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_quark_smear_options), 0.0, 0};
}

kaon_status kaon_spinor_smear(kaon_spinor* spinor, const kaon_gauge* gauge, const kaon_quark_smear_options* options) {
  return collective(__func__, {{"spinor", spinor}, {"gauge", gauge}, {"options", options}}, [&] {
    const kaon_quark_smear_options& given = checked(*options);
    kaon::require_stable_smearing(given.width, given.steps);
    const auto smear = [&]<class T>(kaon::SpinorField<T>& field) {
      kaon::gaussian_smear(field, in_precision<T>(gauge->links, "gauge"), {.width = given.width, .steps = given.steps});
    };
    std::visit(smear, spinor->field);
  });
}

void kaon_spinor_destroy(kaon_spinor** spinor) { destroy(spinor); }
}
