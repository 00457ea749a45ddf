// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"

#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/io/gauge.hpp>

#include <iterator>

using namespace kaon::capi;

namespace {

constexpr kaon::io::GaugeFormat formats[] = {kaon::io::GaugeFormat::ildg,   kaon::io::GaugeFormat::nersc,
                                             kaon::io::GaugeFormat::scidac, kaon::io::GaugeFormat::grid,
                                             kaon::io::GaugeFormat::pyquda, kaon::io::GaugeFormat::qdpxx};

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
  return call(__func__, {{"lattice", lattice}, {"gauge", gauge}}, [&] {
    with_precision(precision, [&]<class T>(T) {
      *gauge = new kaon_gauge{lattice->place, kaon::GaugeField<T>(lattice->lattice), LinkChanges::of_zero_links()};
    });
  });
}

kaon_status kaon_gauge_read(const char* path, const kaon_lattice_options* options, const kaon_read_options* reading,
                            kaon_precision precision, kaon_lattice** lattice, kaon_gauge** gauge) {
  const Arguments arguments{{"path", path},
                            {"options", options, or_defaults},
                            {"reading", reading, or_defaults},
                            {"precision", precision},
                            {"gauge", gauge}};
  return plain_call(__func__, arguments, [&](Call& call) {
    if (lattice != nullptr) *lattice = nullptr;
    const auto session = kaon::capi::session();
    const kaon::Communicator processes = communicator_of(options);
    call.compare(processes);
    call.require_given();
    const kaon_lattice_options& given = options_or_defaults(options);
    choice<kaon_precision>(precision, "precision");
    kaon::io::ReadOptions how;
    how.ignore_stated_plaquette = options_or_defaults(reading).ignore_stated_plaquette != 0;
    if (given.extents[0] != 0) {
      how.extents = kaon::Coordinates{given.extents[0], given.extents[1], given.extents[2], given.extents[3]};
    }
    const auto make_lattice = [&](const kaon::Coordinates& extents) {
      kaon::LatticeParameters parameters = lattice_parameters(given, processes.size());
      parameters.extents = extents;
      return kaon::Lattice(processes, parameters);
    };
    const Place place{session, processes};
    call.failure = KAON_FILE;
    with_precision(precision, [&]<class T>(T) {
      auto file = kaon::io::read_gauge_file<T>(processes, path, make_lattice, how);
      std::unique_ptr<kaon_lattice> on;
      if (lattice != nullptr) on.reset(new kaon_lattice{place, file.links.lattice()});
      *gauge = new kaon_gauge{place, std::move(file.links)};
      if (lattice != nullptr) *lattice = on.release();
    });
  });
}

kaon_status kaon_gauge_write(const kaon_gauge* gauge, const char* path, const kaon_file_options* options) {
  return collective(__func__, {{"gauge", gauge}, {"path", path}, {"options", options, or_defaults}}, [&](Call& call) {
    const kaon_file_options& given = options_or_defaults(options);
    const kaon::io::WriteOptions writing{.format = formats[choice<kaon_file_format>(given.format, "format")],
                                         .bits = given.bits};
    kaon::require(given.bits == 32 || given.bits == 64,
                  [&] { return fmt::format("bits = {} of a real number in a file: 32 or 64 are", given.bits); });
    call.failure = KAON_FILE;
    std::visit([&](const auto& links) { kaon::io::write_gauge(path, links, writing); }, gauge->links);
  });
}

kaon_status kaon_gauge_set(kaon_gauge* gauge, const kaon_array* array) {
  return call(__func__, {{"gauge", gauge}}, [&] {
    std::visit([&](auto& links) { kaon::copy_in(links, view(array)); }, gauge->links);
    gauge->changes.add();
  });
}

kaon_status kaon_gauge_get(const kaon_gauge* gauge, const kaon_array* array) {
  return call(__func__, {{"gauge", gauge}},
              [&] { std::visit([&](const auto& links) { kaon::copy_out(view(array), links); }, gauge->links); });
}

kaon_status kaon_gauge_start(kaon_gauge* gauge, kaon_start_kind kind, uint64_t seed, double width) {
  return collective(__func__, {{"gauge", gauge}, {"kind", kind}, {"seed", seed}, {"width", width}}, [&] {
    const auto start = [&](auto& links) {
      switch (choice<kaon_start_kind>(kind, "kind of a start")) {
        case KAON_COLD:
          return kaon::set_unit(links);
        case KAON_HOT:
          return kaon::set_random(links, {.seed = seed});
        case KAON_WEAK:
          return kaon::set_weak(links, width, {.seed = seed});
      }
    };
    std::visit(start, gauge->links);
    gauge->changes.add();
  });
}

kaon_status kaon_gauge_heatbath(kaon_gauge* gauge, const kaon_heatbath_options* options) {
  return collective(__func__, {{"gauge", gauge}, {"options", options}}, [&] {
    const kaon_heatbath_options& given = checked(*options);
    kaon::update(in_precision<double>(gauge->links, "gauge"), {.beta = given.beta,
                                                               .overrelaxation_sweeps = given.overrelaxations,
                                                               .seed = given.seed,
                                                               .update = given.update});
    gauge->changes.add();
  });
}

kaon_status kaon_gauge_plaquette(const kaon_gauge* gauge, double plaquette[3]) {
  return collective(__func__, {{"gauge", gauge}, {"plaquette", plaquette}}, [&] {
    const kaon::Plaquette found = std::visit([](const auto& links) { return kaon::plaquette(links); }, gauge->links);
    plaquette[0] = found.average;
    plaquette[1] = found.spatial;
    plaquette[2] = found.temporal;
  });
}

kaon_status kaon_gauge_polyakov_loop(const kaon_gauge* gauge, int direction, double loop[2]) {
  return collective(__func__, {{"gauge", gauge}, {"direction", direction}, {"loop", loop}}, [&] {
    const std::complex<double> found =
        std::visit([&](const auto& links) { return kaon::polyakov_loop(links, direction); }, gauge->links);
    loop[0] = found.real();
    loop[1] = found.imag();
  });
}

void kaon_gauge_destroy(kaon_gauge** gauge) { destroy(gauge); }
}
