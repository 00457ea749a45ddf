// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/hmc/rational_approximation.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace kaon::test {

/// A rational function of a file of MILC: of x = -D^2, for prod_i (x + 4 m_i^2)^(y_i / z_i).
struct MilcRationalFunction {
  std::vector<PowerFactor> factors;
  PartialFractions fractions;
};

/// Functions of a pseudofermion: of the force, of the heatbath and of the action.
struct MilcPseudofermion {
  MilcRationalFunction md, gr, fa;
};

/// All pseudofermions of a file for `load_rhmc_params`.
inline std::vector<MilcPseudofermion> read_milc_rational_functions(const std::filesystem::path& path) {
  struct Lists {
    std::vector<double> y, z, mass, residues, poles;
  };
  std::vector<std::array<Lists, 3>> found;  // of each pseudofermion MD, GR, FA
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word.front() == '#') continue;
    if (word == "y_MD") found.emplace_back();
    const std::string kind = word.substr(word.size() - 2), list = word.substr(0, word.find('_'));
    if (kind != "MD" && kind != "GR" && kind != "FA") continue;
    Lists& lists = found.back()[kind == "MD" ? 0 : kind == "GR" ? 1 : 2];
    std::vector<double>& numbers = list == "y"     ? lists.y
                                   : list == "z"   ? lists.z
                                   : list == "m"   ? lists.mass
                                   : list == "res" ? lists.residues
                                                   : lists.poles;
    if (list == "order") continue;
    for (double number; words >> number;) numbers.push_back(number);
  }
  std::vector<MilcPseudofermion> pseudofermions;
  for (const auto& of : found) {
    std::vector<MilcRationalFunction> functions;
    for (const Lists& lists : of) {
      MilcRationalFunction function;
      for (std::size_t i = 0; i < lists.y.size(); ++i) {
        const double mass = lists.mass.at(i);
        if (lists.y[i] != 0.0) function.factors.push_back({lists.y[i] / lists.z.at(i), 4.0 * mass * mass});
      }
      // The first residue is the constant; the pole beside it is meaningless.
      function.fractions.constant = lists.residues.at(0);
      function.fractions.residues.assign(lists.residues.begin() + 1, lists.residues.end());
      function.fractions.shifts.assign(lists.poles.begin() + 1, lists.poles.end());
      functions.push_back(std::move(function));
    }
    pseudofermions.push_back({functions[0], functions[1], functions[2]});
  }
  if (pseudofermions.empty()) throw std::runtime_error("no rational functions in " + path.string());
  return pseudofermions;
}

}  // namespace kaon::test
