// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/processes.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace kaon::detail {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Any of these says that the process is one of a parallel program, perhaps the only one.
constexpr std::array launcher_variables{// mpirun of Open MPI and of its relatives
                                        "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
                                        // PMIx: Slurm, PRRTE, jsrun
                                        "PMIX_RANK",
                                        // PMI: Hydra (MPICH, Intel MPI), Slurm, Flux
                                        "PMI_RANK", "PMI_SIZE", "PMI_FD",
                                        // mpirun_rsh of MVAPICH
                                        "MPIRUN_RANK", "MV2_COMM_WORLD_RANK",
                                        // Cray
                                        "PALS_RANKID", "ALPS_APP_PE"};

/// Slurm runs everything in steps, batch scripts and shells too: a step of several tasks is a parallel program.
bool is_slurm_step_of_several() { return std::atoi(variable("SLURM_STEP_NUM_TASKS").data()) > 1; }

/// The environment variables in which launchers state the number of processes, and the rank of this one.
struct Count {
  const char *processes, *rank;
};
constexpr std::array counts{Count{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, Count{"PMI_SIZE", "PMI_RANK"},
                            Count{"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                            Count{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

}  // namespace

bool is_launched() {
  const std::string_view asked = variable("KAON_MPI");
  if (asked == "on" || asked == "1") return true;
  if (asked == "off" || asked == "0") return false;
  require(asked.empty(), [&] {
    return fmt::format("the environment variable KAON_MPI is '{}': set it to on (or 1) or to off (or 0)", asked);
  });
  return is_slurm_step_of_several() || std::any_of(launcher_variables.begin(), launcher_variables.end(),
                                                   [](const char* name) { return !variable(name).empty(); });
}

int rank_of_launcher() {
  for (const Count& count : counts) {
    if (const std::string_view rank = variable(count.rank); !rank.empty()) return std::atoi(rank.data());
  }
  return 0;
}

void warn_without_mpi() {
  if (!is_launched()) return;
  require(variable("KAON_MPI").empty(),
          "KAON_MPI asks for MPI, but this kaon was built without: configure it with -DKAON_MPI=ON, or leave the "
          "variable unset");
  for (const Count& count : counts) {
    const int processes = std::atoi(variable(count.processes).data());
    if (processes < 2) continue;
    if (std::atoi(variable(count.rank).data()) != 0) return;
    return tell(MessageKind::warning,
                fmt::format("this kaon was built without MPI: each of the {} processes does all of the work alone. "
                            "Configure it with -DKAON_MPI=ON, or set KAON_MPI=off if that is meant",
                            processes));
  }
}

}  // namespace kaon::detail
