// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/campaign/measurement_input.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon {

std::string measurement_example(std::string_view name) {
  require(name == "spectrum", [&] { return fmt::format("'{}' is no example: there is spectrum", name); });
  return R"(# The light spectrum on the field of examples/:
#
#   kaon measure spectrum.toml examples/quenched_b6.0_8x8x8x16.nersc

boundary = ["periodic", "periodic", "periodic", "antiperiodic"]  # of the quarks, in x, y, z and t

[links]  # by which sources and sinks are smeared
smearing = "ape"
strength = 0.5
steps = 5

[quark.l]  # a name of your own; any number of quarks
action = "clover"
csw = 1.769
kappa = 0.1320

[quark.s]
action = "clover"
csw = 1.769
kappa = 0.1300

[source]
kind = "gaussian"  # or point, wall, wall-z2
random = 2         # sites, others on each configuration; or sites = [[0, 0, 0, 0], [4, 4, 4, 8]]
seed = 11
width = 2.0
steps = 20

[sink.smeared]  # a name of your own; "point" exists always
width = 2.0
steps = 20

[[meson]]
quarks = ["l", "l"]
gammas = ["g5", "gi", "g4g5:g5"]  # SINK:SOURCE; gi is g1, g2 and g3; "all" is 256 pairs
momentum_squared = 2              # all momenta up to this square; or momenta = [[0, 0, 0], [0, 0, 1]]
sinks = ["point", "smeared"]

[[meson]]
quarks = ["l", "s"]
gammas = ["g5", "gi"]

[[baryon]]
kind = "nucleon"
quarks = ["l", "l"]

[solver]
tolerance = 1e-9

[output]
folder = "measurements"
)";
}

}  // namespace kaon
