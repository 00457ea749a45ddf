// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/propagator_output.hpp"

#include "apps/cli/output.hpp"
#include "apps/quark/propagate.hpp"
#include "io/spinors/propagator_parts.hpp"

#include <kaon/io/propagator.hpp>
#include <kaon/measure/chroma_header.hpp>
#include <kaon/measure/sources.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kaon::apps {
namespace {

/// Returns the bits of a number in the file.
int bits_of(const PropagatorPlan& plan) {
  const bool milc = value_of(propagator_formats, plan.given.output_format) == io::PropagatorFormat::milc;
  return milc || plan.single() ? 32 : 64;
}

/// In the format of --output-format; `links` smear the sources that go with it.
std::unique_ptr<io::OutputFile> propagator_file(const PropagatorPlan& plan, const Json& report,
                                                const SpinorField<double>& propagator,
                                                const GaugeField<double>& links) {
  const Json info{{"gauge", report["gauge"]}, {"action", report["action"]}, {"source", report["source"]}};
  io::PropagatorWriteOptions options{.bits = bits_of(plan), .info = to_text(info)};
  std::optional<io::HostPropagator> host_sources;
  options.milc_projectors = plan.given.milc_projectors;
  options.format = value_of(propagator_formats, plan.given.output_format);
  if (plan.given.output_format.starts_with("usqcd")) {
    SpinorField<double> sources(propagator.lattice(), propagator.parameters());
    set_sources(sources, source_of(plan), links);
    host_sources = io::to_host_propagator(sources);
  } else if (options.format == io::PropagatorFormat::scidac && !plan.family().is_staggered()) {
    options.chroma_header =
        chroma_header(plan.quarks.front(), source_of(plan), plan.given.numbers.tolerance, plan.given.gauge);
  }
  return io::prepare_propagator_parts(plan.given.output, io::part_of(propagator.lattice()),
                                      io::to_host_propagator(propagator), host_sources ? &*host_sources : nullptr,
                                      options);
}

/// The file of the pion of two masses, pion_m0.05_m0.02.json for pion.json; empty if none is wanted.
std::string file_of_pair(const PropagatorPlan& plan, std::size_t first, std::size_t second) {
  if (plan.given.correlator.empty()) return {};
  return with_suffix(plan.given.correlator, "_m" + plan.mass_words[first] + "_m" + plan.mass_words[second]);
}

/// The outputs of all masses and pairs.
std::vector<NamedFile> outputs_of(const PropagatorPlan& plan) {
  std::vector<NamedFile> files;
  for (std::size_t n = 0; n < plan.quarks.size(); ++n) {
    const PropagatorOptions of_mass = at_mass(plan, n).given;
    for (const std::string_view suffix : plan.family().file_suffixes) {
      if (!of_mass.output.empty()) files.push_back({"--output", with_suffix(of_mass.output, suffix)});
    }
    files.push_back({"--correlator", of_mass.correlator});
  }
  for (std::size_t second = 1; plan.given.pairs && second < plan.quarks.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      files.push_back({"--correlator", file_of_pair(plan, first, second)});
    }
  }
  return files;
}

}  // namespace

std::vector<NamedFile> inputs_of(const PropagatorOptions& given) {
  return {{"--gauge", given.gauge, true}, {"--fat", given.fat, true}, {"--long", given.long_links, true}};
}

void require_usable_files(const Session& session, const PropagatorPlan& plan) {
  const PropagatorOptions& given = plan.given;
  std::vector<NamedFile> files = inputs_of(given);
  files.push_back({"--eigenvectors", given.eigenvectors, true});
  const std::vector<NamedFile> outputs = outputs_of(plan);
  const bool has_vectors = !given.multigrid_file.empty() && exists(session, given.multigrid_file);
  files.insert(files.end(), outputs.begin(), outputs.end());
  files.insert(has_vectors ? files.end() - std::ssize(outputs) : files.end(),
               {"--multigrid-file", given.multigrid_file, has_vectors});
  require_usable_files(session, files);
}

void require_space(const Session& session, const PropagatorPlan& plan, const Lattice& lattice) {
  const auto columns = static_cast<std::uint64_t>(colors * plan.family().spins());
  const bool pairs = value_of(propagator_formats, plan.given.output_format) == io::PropagatorFormat::usqcd_pairs;
  const std::uint64_t site_bytes = columns * columns * 2 * static_cast<std::uint64_t>(bits_of(plan) / 8);
  std::vector<NamedFile> files = outputs_of(plan);
  for (NamedFile& file : files) {
    if (file.option != "--output") continue;
    file.bytes = static_cast<std::uint64_t>(lattice.volume()) * site_bytes * (pairs ? 2 : 1);
  }
  require_usable_files(session, files);
}

void add_files(PreparedFiles& files, const Session& session, const PropagatorPlan& plan, const Json& report,
               const QuarkPropagators<double>& quark, const GaugeField<double>& links) {
  if (!plan.given.correlator.empty()) files.add_json(session, "--correlator", plan.given.correlator, report);
  if (plan.given.output.empty()) return;
  const std::vector<std::string_view>& suffixes = plan.family().file_suffixes;
  for (std::size_t n = 0; n < suffixes.size(); ++n) {
    PropagatorPlan one = plan;
    one.given.output = with_suffix(plan.given.output, suffixes[n]);
    files.add("--output", [&] { return propagator_file(one, report, quark.propagators[n].field, links); });
  }
}

void add_file_of_pair(PreparedFiles& files, const Session& session, const PropagatorPlan& plan, std::size_t first,
                      std::size_t second, const Json& report) {
  const std::string file = file_of_pair(plan, first, second);
  if (!file.empty()) files.add_json(session, "--correlator", file, report);
}

}  // namespace kaon::apps
