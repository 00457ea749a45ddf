// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"

#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/io/gauge.hpp>

using kaon::capi::guard;
using kaon::capi::needed;

namespace {

constexpr kaon::io::GaugeFormat formats[] = {kaon::io::GaugeFormat::ildg, kaon::io::GaugeFormat::nersc,
                                             kaon::io::GaugeFormat::scidac};

}  // namespace

extern "C" {

void kaon_file_options_init(kaon_file_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_file_options), KAON_ILDG, 64};
}

void kaon_read_options_init(kaon_read_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_read_options), 0};
}

void kaon_heatbath_options_init(kaon_heatbath_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_heatbath_options), 6.0, 4, 0, 0};
}

kaon_status kaon_gauge_create(const kaon_lattice* lattice, kaon_precision precision, kaon_gauge** gauge) {
  return guard(__func__, [&] {
    kaon_gauge*& out = kaon::capi::result(gauge, "gauge");
    const kaon_lattice& on = needed(lattice, "lattice");
    kaon::capi::with_precision(precision, [&]<class T>(T) {
      out = new kaon_gauge{on.session, kaon::GaugeField<T>(on.lattice), kaon::capi::LinkChanges::of_zero_links()};
    });
  });
}

kaon_status kaon_gauge_read(const char* path, const kaon_lattice_options* options, const kaon_read_options* reading,
                            kaon_precision precision, kaon_lattice** lattice, kaon_gauge** gauge) {
  kaon_lattice_options given;
  kaon::io::ReadOptions how;
  const kaon_status arguments = guard(__func__, [&] {
    kaon::capi::result(gauge, "gauge");
    if (lattice != nullptr) *lattice = nullptr;
    needed(path, "path");
    kaon::capi::choice<kaon_precision>(precision, 2, "precision");
    kaon::capi::session();
    given = kaon::capi::options_or_defaults(options, kaon_lattice_options_init, "kaon_lattice_options");
    how.ignore_stated_plaquette =
        kaon::capi::options_or_defaults(reading, kaon_read_options_init, "kaon_read_options").ignore_stated_plaquette !=
        0;
  });
  if (arguments != KAON_OK) return arguments;
  const auto read = [&] {
    if (given.extents[0] != 0) {
      how.extents = kaon::Coordinates{given.extents[0], given.extents[1], given.extents[2], given.extents[3]};
    }
    const auto session = kaon::capi::session();
    const kaon::Communicator processes = kaon::capi::communicator_of(given);
    const auto make_lattice = [&](const kaon::Coordinates& extents) {
      kaon::LatticeParameters parameters = kaon::capi::lattice_parameters(given);
      parameters.extents = extents;
      return kaon::Lattice(processes, parameters);
    };
    kaon::capi::with_precision(precision, [&]<class T>(T) {
      auto file = kaon::io::read_gauge_file<T>(processes, path, make_lattice, how);
      std::unique_ptr<kaon_lattice> on;
      if (lattice != nullptr) on = std::make_unique<kaon_lattice>(kaon_lattice{session, file.links.lattice()});
      *gauge = new kaon_gauge{session, std::move(file.links)};
      if (lattice != nullptr) *lattice = on.release();
    });
  };
  return guard(__func__, read, KAON_FILE);
}

kaon_status kaon_gauge_write(const kaon_gauge* gauge, const char* path, const kaon_file_options* options) {
  kaon::io::WriteOptions writing;
  const kaon_status arguments = guard(__func__, [&] {
    needed(gauge, "gauge");
    needed(path, "path");
    const kaon_file_options given =
        kaon::capi::options_or_defaults(options, kaon_file_options_init, "kaon_file_options");
    kaon::capi::require_same(kaon::capi::lattice_of(gauge->links), "files of links", "format {}, {} bits", given.format,
                             given.bits);
    writing.format = formats[kaon::capi::choice<std::size_t>(given.format, 3, "format")];
    kaon::require(given.bits == 32 || given.bits == 64,
                  [&] { return fmt::format("bits = {} of a real number in a file: 32 or 64 are", given.bits); });
    writing.bits = given.bits;
  });
  if (arguments != KAON_OK) return arguments;
  return guard(
      __func__,
      [&] { std::visit([&](const auto& links) { kaon::io::write_gauge(path, links, writing); }, gauge->links); },
      KAON_FILE);
}

kaon_status kaon_gauge_set(kaon_gauge* gauge, const kaon_array* array) {
  return guard(__func__, [&] {
    std::visit([&](auto& links) { kaon::copy_in(links, kaon::capi::view(array)); }, needed(gauge, "gauge").links);
    gauge->changes.add();
  });
}

kaon_status kaon_gauge_get(const kaon_gauge* gauge, const kaon_array* array) {
  return guard(__func__, [&] {
    std::visit([&](const auto& links) { kaon::copy_out(kaon::capi::view(array), links); },
               needed(gauge, "gauge").links);
  });
}

kaon_status kaon_gauge_start(kaon_gauge* gauge, kaon_start_kind kind, uint64_t seed, double width) {
  return guard(__func__, [&] {
    const auto start = [&](auto& links) {
      switch (kaon::capi::choice<kaon_start_kind>(kind, 3, "kind of a start")) {
        case KAON_COLD:
          return kaon::set_unit(links);
        case KAON_HOT:
          return kaon::set_random(links, {.seed = seed});
        case KAON_WEAK:
          return kaon::set_weak(links, width, {.seed = seed});
      }
    };
    std::visit(start, needed(gauge, "gauge").links);
    gauge->changes.add();
  });
}

kaon_status kaon_gauge_heatbath(kaon_gauge* gauge, const kaon_heatbath_options* options) {
  return guard(__func__, [&] {
    const kaon_heatbath_options& given = kaon::capi::checked(needed(options, "options"), "kaon_heatbath_options");
    kaon::update(kaon::capi::in_precision<double>(needed(gauge, "gauge").links, "gauge"),
                 {.beta = given.beta,
                  .overrelaxation_sweeps = given.overrelaxations,
                  .seed = given.seed,
                  .update = given.update});
    gauge->changes.add();
  });
}

kaon_status kaon_gauge_plaquette(const kaon_gauge* gauge, double plaquette[3]) {
  return guard(__func__, [&] {
    needed(plaquette, "plaquette");
    const kaon::Plaquette found =
        std::visit([](const auto& links) { return kaon::plaquette(links); }, needed(gauge, "gauge").links);
    plaquette[0] = found.average;
    plaquette[1] = found.spatial;
    plaquette[2] = found.temporal;
  });
}

kaon_status kaon_gauge_polyakov_loop(const kaon_gauge* gauge, int direction, double loop[2]) {
  return guard(__func__, [&] {
    needed(loop, "loop");
    kaon::capi::require_same(kaon::capi::lattice_of(needed(gauge, "gauge").links), "loops", "direction {}", direction);
    const std::complex<double> found = std::visit(
        [&](const auto& links) { return kaon::polyakov_loop(links, direction); }, needed(gauge, "gauge").links);
    loop[0] = found.real();
    loop[1] = found.imag();
  });
}

void kaon_gauge_destroy(kaon_gauge** gauge) { kaon::capi::destroy(gauge); }
}
