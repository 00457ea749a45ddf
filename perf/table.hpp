// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace kaon::perf {

/// Shows what Google Benchmark's own reporter shows and holds the results for a table at the end.
class TableReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override { return inner_->ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override { inner_->Finalize(); }

  /// True if a benchmark ended without a result.
  bool any_failed() const { return any_failed_; }
  /// A Markdown table of all results, of repeated ones the best; empty without results.
  std::string table() const;

 private:
  struct Row {
    std::string name;
    double microseconds;
    std::string gflops, gigabytes, of_ceiling, of_operator;
  };

  benchmark::BenchmarkReporter* inner_ = benchmark::CreateDefaultDisplayReporter();  // owned by Google Benchmark
  std::vector<Row> rows_;
  bool any_failed_ = false;
};

/// Says nothing: for all processes but the first.
class SilentReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace kaon::perf
