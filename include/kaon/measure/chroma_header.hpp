// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/measure/sources.hpp>
#include <kaon/quarks/families.hpp>

#include <string>

namespace kaon {

/// Returns the elements of `io::PropagatorWriteOptions::chroma_header`: action, mass and boundary of the quark, the
/// source, the tolerance of the solve and a name of the links, by Chroma's names (lib/io/qprop_io.cc, lib/meas/sources
/// of 91c587d8). Actions and sources that Chroma lacks have names that start with KAON. Boundaries other than periodic
/// and antiperiodic are left out.
///
/// Throws `Error` for staggered quarks, whose propagators have 1 spin, and for a tolerance that is not positive.
std::string chroma_header(const FermionParameters& quark, const SourceParameters& source, double tolerance,
                          const std::string& gauge = {});

}  // namespace kaon
