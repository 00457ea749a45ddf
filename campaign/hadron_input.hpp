// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "campaign/document.hpp"

#include <kaon/campaign/measurement_input.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kaon::detail {

/// Reads the hadrons of an input, whose quarks, sources and sinks have been read and whose keys have been checked. All
/// functions throw `Error` for what does not fit, with line and key.
class HadronReader {
 public:
  /// Borrows `document` and `input`, to which it adds hadrons. `doublets` are the propagators of doublets, which
  /// hadrons may name.
  HadronReader(const Document& document, MeasurementInput& input, std::vector<MeasuredQuark> doublets);

  /// Reads the hadrons of the content with its defaults.
  void read(const Json& content);
  /// Returns the place of a quark of the input. Adds a propagator of a doublet to the quarks when it is named first.
  std::size_t place_of_quark(const std::string& key, const std::string& name);

 private:
  void read_meson(const std::string& key, const Json& meson);
  void read_baryon(const std::string& key, const Json& baryon);
  void read_three_point(const std::string& key, const Json& given);
  /// Quarks, momenta and sinks of a hadron.
  MeasuredHadron common_parts(const std::string& key, const Json& hadron, std::size_t quarks);
  std::vector<SpatialMomentum> momenta_of(const std::string& key, const Json& hadron) const;
  std::vector<GammaPair> pairs_of(const std::string& key, const std::string& word) const;
  /// The words of a meson's source gammas by that of its sink, each of which needs a solve.
  std::map<std::string, std::vector<std::string>> sources_by_sink(const std::string& key, const Json& words) const;
  void add_spin_tastes(const std::string& at, const std::string& given, MeasuredHadron& meson) const;
  void check_currents(const std::string& key, const MeasuredHadron& hadron, const std::vector<std::string>& currents);
  bool is_staggered(std::size_t quark) const;
  void add_hadron(const std::string& key, MeasuredHadron hadron);

  const Document& document_;
  MeasurementInput& input_;
  std::vector<MeasuredQuark> doublets_;
};

}  // namespace kaon::detail
