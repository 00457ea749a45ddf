// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/processes.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/message.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

extern char** environ;

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::is_launched;

/// Nothing in the environment but these variables, while it exists.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string text = *entry;
      kept_[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
    }
    replace(variables);
  }
  ~Environment() { replace(kept_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void replace(const std::map<std::string, std::string>& variables) {
    clearenv();
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  }
  std::map<std::string, std::string> kept_;
};

bool is_launched_with(const std::map<std::string, std::string>& variables) {
  const Environment environment(variables);
  return is_launched();
}

TEST(Launcher, StatesTheRank) {
  const auto rank_with = [](const std::map<std::string, std::string>& variables) {
    const Environment environment(variables);
    return detail::rank_of_launcher();
  };
  EXPECT_EQ(rank_with({}), 0);
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    EXPECT_EQ(rank_with({{name, "3"}, {"HOME", "/"}}), 3) << name;
  }
}

TEST(Launcher, IsRecognisedByAnyOfItsVariables) {
  EXPECT_FALSE(is_launched_with({}));
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
                           "MPIRUN_RANK", "MV2_COMM_WORLD_RANK", "PALS_RANKID", "ALPS_APP_PE"}) {
    EXPECT_TRUE(is_launched_with({{name, "0"}})) << name;
    EXPECT_FALSE(is_launched_with({{name, ""}})) << name;
  }
}

TEST(Launcher, IsSlurmForAStepOfSeveralTasks) {
  EXPECT_TRUE(is_launched_with({{"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}}));
  EXPECT_FALSE(is_launched_with({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}));
  EXPECT_FALSE(is_launched_with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}));
  EXPECT_FALSE(is_launched_with({{"SLURM_STEP_NUM_TASKS", "many"}}));
}

TEST(Launcher, IsOverruledByKaonsOwnVariable) {
  for (const char* on : {"on", "1"}) EXPECT_TRUE(is_launched_with({{"KAON_MPI", on}}));
  for (const char* off : {"off", "0"}) {
    EXPECT_FALSE(is_launched_with({{"KAON_MPI", off}, {"OMPI_COMM_WORLD_SIZE", "2"}}));
  }
  EXPECT_TRUE(is_launched_with({{"KAON_MPI", ""}, {"OMPI_COMM_WORLD_SIZE", "2"}}));
  KAON_EXPECT_ERROR(is_launched_with({{"KAON_MPI", "yes"}}), "KAON_MPI is 'yes': set it to on (or 1) or to off (or 0)");
}

/// Warning of a kaon without MPI.
std::string warning_with(const std::map<std::string, std::string>& variables) {
  std::string text;
  const MessageHandler before = set_message_handler([&](MessageKind, const std::string& told) { text += told; });
  {
    const Environment environment(variables);
    detail::warn_without_mpi();
  }
  set_message_handler(before);
  return text;
}

TEST(Launcher, OfSeveralProcessesWithoutMpiIsNoSecret) {
  const auto expect_warning = [](const char* processes, const char* rank) {
    const std::string text = warning_with({{processes, "4"}, {rank, "0"}});
    EXPECT_NE(text.find("each of the 4 processes"), text.npos) << processes << ": " << text;
    EXPECT_EQ(warning_with({{processes, "4"}, {rank, "3"}}), "");
    EXPECT_EQ(warning_with({{processes, "1"}, {rank, "0"}}), "");
    EXPECT_EQ(warning_with({{processes, "4"}, {rank, "0"}, {"KAON_MPI", "off"}}), "");
  };
  expect_warning("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK");
  expect_warning("PMI_SIZE", "PMI_RANK");
  expect_warning("SLURM_STEP_NUM_TASKS", "SLURM_PROCID");
  EXPECT_EQ(warning_with({}), "");
  EXPECT_EQ(warning_with({{"PMIX_RANK", "2"}}), "");
  const std::map<std::string, std::string> on = {{"KAON_MPI", "on"}};
  const Environment environment(on);
  KAON_EXPECT_ERROR(detail::warn_without_mpi(), "KAON_MPI asks for MPI, but this kaon was built without");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
