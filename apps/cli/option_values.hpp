// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/command.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/coordinates.hpp>
#include <kaon/core/lattice.hpp>
#include <kaon/operators/wilson.hpp>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kaon::apps {

/// The words of a table of `OptionWord`s.
template <class Table>
std::vector<std::string> words_of(const Table& table) {
  std::vector<std::string> words;
  for (const auto& row : table) words.emplace_back(row.word);
  return words;
}
/// The value of `word`, which is in the table: options with other words are refused.
template <class Table>
const auto& value_of(const Table& table, std::string_view word) {
  return std::ranges::find_if(table, [&](const auto& row) { return row.word == word; })->value;
}

// Texts behind options, turned into values. All throw `Failure` with the option's name.

/// The words between commas; none for an empty text.
std::vector<std::string> split(const std::string& text);
/// "0.05,0.02": finite numbers.
std::vector<double> parse_numbers(const std::string& option, const std::string& text);
/// "16,64": whole numbers from 1 to 1e6. The failure for others contains the `fault`, "no number of processes".
std::vector<int> parse_counts(const std::string& option, const std::string& text, const std::string& fault);
/// Throws `Failure`: the option, or a word of it, "--source: gaussian", has no meaning under the condition, "with
/// --method ape", but `only` with some values.
[[noreturn]] void refuse_without_meaning(std::string_view option, const std::string& condition,
                                         const std::string& only = "");
/// Refuses in the same way the first of these options that the command line has.
void refuse_named(const std::set<std::string>& named, std::initializer_list<const char*> options,
                  const std::string& condition, const std::string& only = "");
/// Is a format of files, by its word, one of HDF5?
bool is_hdf5(const std::string& format);
/// Throws `Failure` for a file whose name ends as those of another type of file than its format's, such as .h5 (HDF5),
/// .lime or .nersc.
void require_name_of_format(const std::string& option, const std::string& file, const std::string& format_option,
                            const std::string& format);
/// Throws `Failure` for a value that needs a part of kaon which was not compiled (core/base/parts.hpp).
void require_part(bool compiled, const std::string& part, const std::string& option, const std::string& value);
/// The largest numbers of operators: squares of residuals of M^dag M have their fourth powers, and M^dag M in single
/// their squares.
struct NumberRange {
  double largest = 1e70;
  std::string reason{};  ///< the option that causes iterations in single precision, such as "--precision single"
};
/// The range for iterations in single precision without others in double that continue if they fail.
inline NumberRange range_in_single(const std::string& reason) { return {.largest = 1e18, .reason = reason}; }
/// Throws `Failure` for a number that is not finite or is out of range. `value`, if any, says whose number it is.
void require_range(const std::string& option, double number, const NumberRange& range = {},
                   const std::string& value = "");
/// Throws `Failure` for a number that is not finite.
void require_finite(const std::string& option, double number);
/// Throws `Failure` for a tadpole factor that asqtad cannot have.
void require_tadpole_factor(double u0);
/// "8,8,8,16": four integers x,y,z,t.
Coordinates parse_coordinates(const std::string& option, const std::string& text);
/// Extents: even and at least 2.
Coordinates parse_extents(const std::string& option, const std::string& text);
/// "periodic,periodic,periodic,antiperiodic": each of the four is one of these words, "dirichlet" or an angle in
/// radians.
BoundaryAngles parse_boundary(const std::string& option, const std::string& text);
/// "periodic", "antiperiodic", "dirichlet" or the angle, for each direction: what `parse_boundary` reads.
std::string describe(const BoundaryAngles& boundary);

/// Throws `Failure` unless the site lies on the lattice.
void require_site(const std::string& option, const Coordinates& site, const Coordinates& extents);

/// How a lattice is spread over processes, lanes included.
struct LayoutOptions {
  std::string grid;  ///< processes in each direction; empty: chosen by kaon
  Lanes lanes = Lanes::native;
  int reach = 1;  ///< of operators, see `LatticeParameters`
};

/// --grid.
void add_grid_option(const Command& command, LayoutOptions& options);

/// Throws `Failure` where --grid is no process grid.
void check(const LayoutOptions& options);

/// A lattice of all processes. Its refusals are mistakes in --grid, or in `option` if --grid is not given.
Lattice make_lattice(const Session& session, const std::string& option, const Coordinates& extents,
                     const LayoutOptions& options);

/// "1x1x2x4 (8 processes), 8x8x4x4 sites on each".
std::string describe_grid(const Lattice& lattice);
/// "process grid" with that description.
void report_grid(const Session& session, const Lattice& lattice);

}  // namespace kaon::apps
