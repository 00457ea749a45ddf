// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/document.hpp"
#include "campaign/gammas.hpp"
#include "campaign/hdf5_image.hpp"
#include "io/collective.hpp"
#include "io/output_file.hpp"

#include <kaon/campaign/measurement.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cctype>
#include <memory>

namespace kaon {
namespace {

using detail::Hdf5Image;
using detail::Json;

constexpr const char* format_name = "kaon measurement";
constexpr int format_version = 1;

std::vector<std::int32_t> numbers_of(const Coordinates& site) { return {site.begin(), site.end()}; }

bool is_meson(const MeasuredHadron& hadron) { return hadron.kind == "meson"; }

/// The group of a hadron in files.
std::string group_of(const MeasuredHadron& hadron) {
  if (hadron.three_point) return "three_point";
  return is_meson(hadron) ? "meson" : "baryon";
}

/// The attributes of a hadron: its kind and quarks, and the sink of a three-point function.
Json attributes_of(const MeasuredHadron& hadron, const MeasurementInput& input) {
  Json attributes{{"kind", group_of(hadron)}, {"quarks", Json::array()}};
  for (const std::size_t quark : hadron.quarks) attributes["quarks"].push_back(input.quarks[quark].name);
  if (!hadron.three_point) return attributes;
  const MeasuredThreePoint& of = *hadron.three_point;
  attributes.update({{"hadron", of.hadron},
                     {"flavor", std::string(1, "uds"[of.quark])},
                     {of.hadron == "meson" ? "gamma" : "projector", of.sink},
                     {"sink_time", of.sink_time},
                     {"sink_momentum", of.sink_momentum}});
  return attributes;
}

void set_attributes(Hdf5Image& image, const std::string& path, const Json& attributes) {
  for (const auto& [name, value] : attributes.items()) {
    if (value.is_string()) {
      image.set(path, name.c_str(), value.get<std::string>());
    } else if (value.is_array() && value.front().is_string()) {
      image.set(path, name.c_str(), value.get<std::vector<std::string>>());
    } else if (value.is_array()) {
      image.set(path, name.c_str(), value.get<std::vector<std::int32_t>>());
    } else {
      image.set(path, name.c_str(), value.get<int>());
    }
  }
}

std::string provenance_of(const Measurement& measurement, const MeasurementRecord& record) {
  Json json = Json::parse(record.provenance);
  for (const auto& [phase, seconds] : measurement.seconds) json["seconds"][phase] = seconds;
  json["solves"] = Json::array();
  for (const MeasuredSolve& solve : measurement.solves) {
    Json residuals = Json::array(), errors = Json::array(), iterations = Json::array();
    for (const auto& side : solve.result.right_hand_sides) {
      residuals.push_back(side.true_residual);
      errors.push_back(side.error);
      iterations.push_back(side.iterations);
    }
    json["solves"].push_back({{"quark", solve.quark},
                              {"source", solve.source},
                              {"residuals", residuals},
                              {"errors", errors},
                              {"iterations", iterations},
                              {"seconds", solve.result.seconds}});
    if (solve.sloppy) json["solves"].back()["sloppy"] = true;
  }
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// A hadron with its coordinates, as files of the plain layout have them.
struct Axes {
  std::vector<std::int32_t> sources, momenta, times;
  std::vector<std::size_t> shape;  ///< of the correlator
};

Axes axes_of(const Measurement& measurement, const MeasuredHadron& hadron) {
  Axes axes;
  for (const SourceParameters& source : measurement.sources) {
    axes.sources.insert(axes.sources.end(), source.site.begin(), source.site.end());
  }
  for (const SpatialMomentum& p : hadron.momenta) axes.momenta.insert(axes.momenta.end(), p.begin(), p.end());
  for (int t = 0; t < measurement.extents[3]; ++t) axes.times.push_back(t);
  axes.shape = {measurement.sources.size(), hadron.sinks.size(), hadron.momenta.size(), hadron.channels.size(),
                axes.times.size()};
  return axes;
}

const std::vector<std::string> dimensions{"source", "sink", "momentum", "channel", "t"};

/// A data set of correlators.
struct CorrelatorSet {
  std::string name;
  const std::vector<std::complex<double>>& values;
  std::vector<std::string> dimensions;
  std::vector<std::size_t> shape;
};

/// The correlators of a hadron, and the estimates that they are from.
std::vector<CorrelatorSet> sets_of(const HadronCorrelators& each, const std::vector<std::size_t>& shape) {
  std::vector<CorrelatorSet> sets{{"correlator", each.values, dimensions, shape}};
  if (each.sloppy.empty()) return sets;
  sets.push_back({"sloppy", each.sloppy, dimensions, shape});
  sets.push_back({"exact", each.exact, dimensions, shape});
  sets.back().shape[0] = each.exact.size() / each.correction.size();
  sets.push_back(
      {"correction", each.correction, {dimensions.begin() + 1, dimensions.end()}, {shape.begin() + 1, shape.end()}});
  return sets;
}

std::string plain_hdf5(const Measurement& measurement, const MeasurementInput& input, const MeasurementRecord& record) {
  Hdf5Image image;
  image.set("/", "format", std::string(format_name));
  image.set("/", "format_version", format_version);
  image.set("/", "configuration", record.configuration);
  image.set("/", "checksum", record.checksum);
  image.set("/", "plaquette", record.plaquette);
  image.set("/", "extents", numbers_of(measurement.extents));
  image.set("/", "input", input.text);
  // Attributes are limited to 64 kB: the solves of many sources need more.
  const std::string provenance = provenance_of(measurement, record);
  constexpr std::size_t largest_attribute = 60000;
  if (provenance.size() <= largest_attribute) {
    image.set("/", "provenance", provenance);
  } else {
    image.add("/provenance", std::vector<std::string>{provenance});
  }
  for (const HadronCorrelators& each : measurement.correlators) {
    const MeasuredHadron& hadron = each.hadron;
    const std::string path = fmt::format("/{}/{}", group_of(hadron), hadron.name);
    const Axes axes = axes_of(measurement, hadron);
    image.add_group(path);
    set_attributes(image, path, attributes_of(hadron, input));
    image.add(path + "/source", axes.sources, {axes.shape[0], 4});
    image.add(path + "/sink", hadron.sinks);
    image.add(path + "/momentum", axes.momenta, {axes.shape[2], 3});
    image.add(path + "/channel", hadron.channels);
    image.add(path + "/t", axes.times, {axes.shape[4]});
    for (const CorrelatorSet& set : sets_of(each, axes.shape)) {
      image.add(path + "/" + set.name, set.values.data(), set.shape, {"r", "i"});
      image.set(path + "/" + set.name, "dimensions", set.dimensions);
    }
  }
  return image.bytes();
}

/// Nested lists of complex numbers [re, im].
Json nested(const std::complex<double>*& next, const std::vector<std::size_t>& shape, std::size_t axis) {
  Json list = Json::array();
  for (std::size_t n = 0; n < shape[axis]; ++n) {
    if (axis + 1 < shape.size()) {
      list.push_back(nested(next, shape, axis + 1));
    } else {
      list.push_back({next->real(), next->imag()});
      ++next;
    }
  }
  return list;
}

/// The last number in a name, which Hadrons calls the trajectory.
std::string trajectory_of(const std::string& name) {
  std::size_t end = name.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(name[end - 1])) == 0) --end;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1])) != 0) --begin;
  require(begin < end, [&] {
    return fmt::format("output.layout: Hadrons' files are named by the number of the configuration, and '{}' has none",
                       name);
  });
  return name.substr(begin, end - begin);
}

/// One hadron, source, sink and momentum: the content of a file of Hadrons.
struct HadronsFile {
  const MeasuredHadron& hadron;
  std::size_t hadron_place, source, sink, momentum;
};

std::vector<HadronsFile> hadrons_files(const MeasurementInput& input, std::size_t sources) {
  std::vector<HadronsFile> files;
  for (std::size_t k = 0; k < input.hadrons.size(); ++k) {
    const MeasuredHadron& hadron = input.hadrons[k];
    for (std::size_t source = 0; source < sources; ++source) {
      for (std::size_t sink = 0; sink < hadron.sinks.size(); ++sink) {
        for (std::size_t p = 0; p < hadron.momenta.size(); ++p) files.push_back({hadron, k, source, sink, p});
      }
    }
  }
  return files;
}

std::string name_of(const HadronsFile& file, const std::string& trajectory) {
  const SpatialMomentum& p = file.hadron.momenta[file.momentum];
  return fmt::format("{}_{}_{}_s{}_p{}_{}_{}.{}.h5", group_of(file.hadron), file.hadron.name,
                     file.hadron.sinks[file.sink], file.source, p[0], p[1], p[2], trajectory);
}

std::string hadrons_hdf5(const HadronsFile& file, const Measurement& measurement, const MeasurementInput& input,
                         const MeasurementRecord& record) {
  const MeasuredHadron& hadron = file.hadron;
  const SpatialMomentum& p = hadron.momenta[file.momentum];
  Hdf5Image image;
  image.set("/", "configuration", record.configuration);
  image.set("/", "checksum", record.checksum);
  image.set("/", "source", numbers_of(measurement.sources[file.source].site));
  image.set("/", "sink", hadron.sinks[file.sink]);
  image.set("/", "momentum", std::vector<std::int32_t>(p.begin(), p.end()));
  image.set("/", "extents", numbers_of(measurement.extents));
  image.set("/", "input", input.text);
  set_attributes(image, "/", attributes_of(hadron, input));
  const std::string group = hadron.three_point ? "gamma3pt" : group_of(hadron);
  const auto times = static_cast<std::size_t>(measurement.extents[3]);
  const std::size_t place = (file.source * hadron.sinks.size() + file.sink) * hadron.momenta.size() + file.momentum;
  for (std::size_t n = 0; n < hadron.channels.size(); ++n) {
    const std::string path = fmt::format("/{}/{}_{}", group, group, n);
    image.add_group(path);
    if (hadron.three_point) {
      const std::string& words = hadron.channels[n];
      const std::size_t colon = words.find(':');
      image.set_fixed(path, "gamma", detail::hadrons_gamma(words.substr(0, colon)));
      if (colon != words.npos) image.set_fixed(path, "gamma_src", detail::hadrons_gamma(words.substr(colon + 1)));
    } else if (is_meson(hadron)) {
      image.set_fixed(path, "gamma_snk", detail::hadrons_gamma(hadron.gammas[n].sink));
      image.set_fixed(path, "gamma_src", detail::hadrons_gamma(hadron.gammas[n].source));
    } else {
      image.set_fixed(path, "projector", hadron.channels[n]);
    }
    const std::size_t first = (place * hadron.channels.size() + n) * times;
    image.add(path + "/corr", measurement.correlators[file.hadron_place].values.data() + first, {times}, {"re", "im"});
  }
  return image.bytes();
}

}  // namespace

std::string to_json(const Measurement& measurement, const MeasurementInput& input, const MeasurementRecord& record) {
  Json json{{"format", format_name},
            {"format_version", format_version},
            {"configuration", record.configuration},
            {"checksum", record.checksum},
            {"plaquette", record.plaquette},
            {"extents", measurement.extents},
            {"input", Json::parse(input.text)},
            {"provenance", Json::parse(provenance_of(measurement, record))}};
  Json sources = Json::array();
  for (const SourceParameters& source : measurement.sources) sources.push_back(source.site);
  for (const HadronCorrelators& each : measurement.correlators) {
    const MeasuredHadron& hadron = each.hadron;
    const Axes axes = axes_of(measurement, hadron);
    Json& group = json[group_of(hadron)][hadron.name];
    group = attributes_of(hadron, input);
    group.update({{"dimensions", dimensions},
                  {"source", sources},
                  {"sink", hadron.sinks},
                  {"momentum", hadron.momenta},
                  {"channel", hadron.channels},
                  {"t", axes.times}});
    for (const CorrelatorSet& set : sets_of(each, axes.shape)) {
      const std::complex<double>* next = set.values.data();
      group[set.name] = nested(next, set.shape, 0);
    }
  }
  return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::vector<std::filesystem::path> files_of_measurement(const std::filesystem::path& folder, const std::string& name,
                                                        const MeasurementInput& input, std::size_t sources) {
  if (input.layout == "plain") return {folder / (name + (input.format == "json" ? ".json" : ".h5"))};
  std::vector<std::filesystem::path> files;
  const std::string trajectory = trajectory_of(name);
  for (const HadronsFile& file : hadrons_files(input, sources)) files.push_back(folder / name_of(file, trajectory));
  return files;
}

std::vector<std::filesystem::path> write_measurement(const std::filesystem::path& folder, const std::string& name,
                                                     const Measurement& measurement, const MeasurementInput& input,
                                                     const MeasurementRecord& record,
                                                     const Communicator& communicator) {
  const std::vector<std::filesystem::path> names =
      files_of_measurement(folder, name, input, measurement.sources.size());
  std::vector<std::string> contents(names.size());
  io::together(communicator, [&] {
    if (communicator.rank() != 0) return;
    if (input.layout == "plain") {
      contents[0] =
          input.format == "json" ? to_json(measurement, input, record) : plain_hdf5(measurement, input, record);
      return;
    }
    const std::vector<HadronsFile> files = hadrons_files(input, measurement.sources.size());
    for (std::size_t n = 0; n < files.size(); ++n) contents[n] = hadrons_hdf5(files[n], measurement, input, record);
  });
  std::vector<std::unique_ptr<io::OutputFile>> files;
  for (std::size_t n = 0; n < names.size(); ++n) {
    files.push_back(std::make_unique<io::OutputFile>(names[n], communicator));
    files.back()->write(io::broadcast(communicator, contents[n]));
    files.back()->flush();
  }
  for (const auto& file : files) file->take_name();
  for (const auto& file : files) file->keep_name();
  return names;
}

}  // namespace kaon
