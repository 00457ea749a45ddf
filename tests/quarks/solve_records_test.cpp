// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/solve_records.hpp"
#include "core/tuning/tuning.hpp"
#include "core/tuning/tuning_file.hpp"
#include "tests/multigrid/quenched_field.hpp"
#include "tests/operators/test_fields.hpp"
#include "tests/support/error_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::SolveRecord;
using detail::SolveRecords;

// The tuner of tests has no file: records are off, and solves choose alike in each run.
TEST(SolveRecords, AreOffWithoutACacheFile) {
  EXPECT_TRUE(tuning_cache().empty());
  EXPECT_FALSE(SolveRecords::are_on(quenched_links().lattice()));
  setenv("KAON_SOLVE_RECORDS", "off", 1);
  EXPECT_FALSE(SolveRecords::are_on(quenched_links().lattice()));
  setenv("KAON_SOLVE_RECORDS", "sometimes", 1);
  KAON_EXPECT_ERROR(SolveRecords::are_on(quenched_links().lattice()), "KAON_SOLVE_RECORDS has no meaning");
  unsetenv("KAON_SOLVE_RECORDS");
}

TEST(SolveRecords, AreReadAsTheyWereWritten) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1360));
  const WilsonClover<double> lighter(quenched_links(), at_kappa(0.1370));
  const SolveRung rung;
  const SolveRecords records(Quark<double>(dirac), rung), of_lighter(Quark<double>(lighter), rung);
  const SolveRecord written{.iterations = 400.0,
                            .per_iteration = 0.002,
                            .setup = 1.5,
                            .by_multigrid = 0.25,
                            .setups = 3,
                            .early_fall = 5,
                            .skipped = 2};
  const TuningSection found = records.section(12, written);
  const SolveRecord read = records.record_in(found, 12);
  EXPECT_NEAR(read.iterations, 400.0, 1e-9);
  EXPECT_DOUBLE_EQ(read.per_iteration, 0.002);
  EXPECT_DOUBLE_EQ(read.setup, 1.5);
  EXPECT_DOUBLE_EQ(read.by_multigrid, 0.25);
  EXPECT_EQ(read.setups, 3);
  EXPECT_EQ(read.early_fall, 5);
  EXPECT_EQ(read.skipped, 2);
  // The setup alone is that of all quarks of a family on the lattice, for any number of right-hand sides.
  for (const SolveRecord& other : {records.record_in(found, 1), of_lighter.record_in(found, 12)}) {
    EXPECT_DOUBLE_EQ(other.setup, 1.5);
    EXPECT_EQ(other.iterations, 0.0);
    EXPECT_EQ(other.by_multigrid, 0.0);
  }
  // The later one of two records of a solve counts.
  SolveRecord later = written;
  later.iterations = 500.0;
  later.early_fall = 7;
  TuningSection both = found;
  detail::merge_entries(both, records.section(12, later).entries);
  EXPECT_NEAR(records.record_in(both, 12).iterations, 500.0, 1e-9);
  EXPECT_EQ(records.record_in(both, 12).early_fall, 7);
}

TEST(SolveRecords, IgnoreDamagedEntries) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1360));
  const SolveRecords records(Quark<double>(dirac), {});
  const auto is_empty = [](const SolveRecord& record) {
    return record.iterations == 0.0 && record.per_iteration == 0.0 && record.setup == 0.0 && record.by_multigrid == 0.0;
  };
  EXPECT_TRUE(is_empty(records.record_in({}, 12)));
  const SolveRecord written{
      .iterations = 400.0, .per_iteration = 0.002, .setup = 1.5, .by_multigrid = 0.25, .early_fall = 5};
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    TuningSection damaged = records.section(12, written);
    for (TuningEntry& entry : damaged.entries) entry.microseconds = bad;
    EXPECT_TRUE(is_empty(records.record_in(damaged, 12))) << bad;
  }
  for (const char* const label : {"", "kaon::solve_krylov", "kaon::multigrid_setup"}) {
    TuningSection damaged = records.section(12, written);
    for (TuningEntry& entry : damaged.entries) entry.kernel = label;
    EXPECT_TRUE(is_empty(records.record_in(damaged, 12))) << label;
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
