// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/table.hpp"

#include "perf/measure.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kaon::perf {
namespace {

using Run = benchmark::BenchmarkReporter::Run;

/// A counter with `digits` after the point; nothing where the run has none or it is zero.
std::string number(const Run& run, const char* name, int digits) {
  const auto found = run.counters.find(name);
  return found == run.counters.end() || found->second.value == 0.0
             ? ""
             : fmt::format("{:.{}f}", found->second.value, digits);
}

/// The name as it was registered.
std::string registered_name(const Run& run) { return run.run_name.function_name; }

}  // namespace

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  inner_->ReportRuns(runs);
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration) continue;
    if (!run.counters.contains(counter::gigabytes)) {
      any_failed_ = true;
      continue;
    }
    const Row row{registered_name(run),
                  run.GetAdjustedRealTime(),
                  number(run, counter::gflops, 1),
                  number(run, counter::gigabytes, 1),
                  number(run, counter::of_ceiling, 0),
                  number(run, counter::of_operator, 0)};
    const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.name == row.name; });
    if (same == rows_.end()) {
      rows_.push_back(row);
    } else if (row.microseconds < same->microseconds) {
      *same = row;
    }
  }
}

std::string TableReporter::table() const {
  if (rows_.empty()) return "";
  std::size_t width = 9;
  for (const Row& row : rows_) width = std::max(width, row.name.size());
  std::string text = fmt::format("| {:<{}} | {:>11} | {:>8} | {:>8} | {:>12} | {:>13} |\n", "benchmark", width, "us",
                                 "Gflop/s", "GB/s", "% of ceiling", "% of operator");
  text += fmt::format("|{:-<{}}|{:->13}|{:->10}|{:->10}|{:->14}|{:->15}|\n", "", width + 2, ":", ":", ":", ":", ":");
  for (const Row& row : rows_) {
    text += fmt::format("| {:<{}} | {:>11.1f} | {:>8} | {:>8} | {:>12} | {:>13} |\n", row.name, width, row.microseconds,
                        row.gflops, row.gigabytes, row.of_ceiling, row.of_operator);
  }
  return text;
}

}  // namespace kaon::perf
