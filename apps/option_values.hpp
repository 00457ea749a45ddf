// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/session.hpp>
#include <kaon/core/coordinates.hpp>
#include <kaon/core/lattice.hpp>
#include <kaon/operators/wilson.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kaon::apps {

// Checks whose names do not clutter the help. Numbers must be finite.

CLI::Validator positive();
CLI::Validator not_negative();
CLI::Validator one_of(const std::vector<std::string>& words);

/// An option with one of a few words as its value.
CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& value,
                        const std::vector<std::string>& words, const std::string& description);

/// --seed: an integer from 0 to 2^64 - 1.
void add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& description, const std::string& group);

// What stands behind an option, as text, turned into values. All throw `Failure` with the option's name.

/// "8,8,8,16": four integers x,y,z,t.
Coordinates parse_coordinates(const std::string& option, const std::string& text);
/// Extents: even and at least 2.
Coordinates parse_extents(const std::string& option, const std::string& text);
/// "periodic,periodic,periodic,antiperiodic": each of the four is one of these words or an angle in radians.
BoundaryAngles parse_boundary(const std::string& option, const std::string& text);
/// "periodic", "antiperiodic" or the angle, for each direction: what `parse_boundary` reads.
std::string describe(const BoundaryAngles& boundary);

/// Throws `Failure` unless the site lies on the lattice.
void require_site(const std::string& option, const Coordinates& site, const Coordinates& extents);

/// How a lattice is spread over processes, lanes included.
struct LayoutOptions {
  std::string grid;  ///< processes in each direction; empty: chosen by kaon
  Lanes lanes = Lanes::native;
};

/// --grid, in a group of the help.
void add_grid_option(CLI::App& command, LayoutOptions& options, const std::string& group = "Options");

/// Throws `Failure` where --grid is no process grid.
void check(const LayoutOptions& options);

/// A lattice of all processes; what it refuses is a mistake in --grid, or in `option` where that is not given.
Lattice make_lattice(const Session& session, const std::string& option, const Coordinates& extents,
                     const LayoutOptions& options);

/// "1x1x2x4 (8 processes), 8x8x4x4 sites on each".
std::string describe_grid(const Lattice& lattice);
/// "process grid" with that description.
void report_grid(const Session& session, const Lattice& lattice);

}  // namespace kaon::apps
