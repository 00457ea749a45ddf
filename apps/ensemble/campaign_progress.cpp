// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/campaign_progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace kaon::apps {
namespace {

/// The columns of the terminal, less one: a line that fills the last column may move to the next line.
std::size_t terminal_width() {
  winsize size{};
  constexpr std::size_t usual = 79;
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return is_known ? std::size_t{size.ws_col} - 1 : usual;
}

}  // namespace

std::optional<double> sloppy_ratio(const MeasurementInput& input) {
  if (input.sloppy->accuracy.iterations > 0) return std::nullopt;
  return std::log(input.sloppy->accuracy.tolerance) / std::log(input.solver.tolerance);
}

CampaignProgress::CampaignProgress(const Session& session, const MeasurementInput& input, std::size_t configurations,
                                   const CampaignLog& log)
    : session_(session),
      input_(input),
      log_(log),
      configurations_(configurations),
      is_terminal_(session.communicator().size() == 1 && ::isatty(STDOUT_FILENO) == 1) {}

void CampaignProgress::begin(const std::string& name) {
  name_ = name;
  ++number_;
  source_ = sources_ = 0;
  sloppy_ = false;
  start_ = Clock::now();
  log_.begin(name);
}

void CampaignProgress::set_lattice(const Coordinates& extents) {
  if (extents == extents_) return;
  extents_ = extents;
  cost_ = mean_cost(log_.read(), extents);
}

MeasurementHooks CampaignProgress::hooks() {
  return {.on_solve =
              [this](const std::string& quarks, std::size_t source, std::size_t sources, bool sloppy) {
                if (sources_ == 0 || source != source_ || sloppy != sloppy_) {
                  log_.begin_source(name_, source, sources);
                  before_source_ = seconds();
                  if (sloppy && !sloppy_) before_sloppy_ = before_source_;
                }
                source_ = source;
                sources_ = sources;
                sloppy_ = sloppy;
                solve_ =
                    fmt::format("source {}/{}, quark {}{}", source + 1, sources, quarks, sloppy ? " (sloppy)" : "");
                solve_start_ = Clock::now();
              },
          .on_solved =
              [this](const MeasuredSolve& solve) {
                if (is_terminal_) return;
                const std::chrono::duration<double> elapsed = Clock::now() - solve_start_;
                say(session_, "  source {}/{}, quark {}{}: {} iterations, residual {:.1e}, {}{}\n", solve.source + 1,
                    sources_, solve.quark, solve.sloppy ? " (sloppy)" : "", solve.result.iterations(),
                    solve.result.true_residual(), describe_seconds(elapsed.count()), time_left());
              },
          .on_iteration =
              [this](int iteration, std::span<const double> residuals) {
                if (!is_terminal_ || Clock::now() - shown_ < std::chrono::milliseconds(200)) return true;
                shown_ = Clock::now();
                show(fmt::format("{}, iteration {}, residual {:.1e}", solve_, iteration,
                                 *std::ranges::max_element(residuals)));
                return true;
              }};
}

void CampaignProgress::end() {
  const auto before = static_cast<double>(cost_.configurations++);
  cost_.seconds += (seconds() - cost_.seconds) / (before + 1.0);
  erase();
}

void CampaignProgress::erase() const {
  if (is_terminal_) write_to_standard_output("\r\x1b[K");
}

double CampaignProgress::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

std::optional<double> CampaignProgress::estimate_of_first() const {
  const auto done = static_cast<double>(source_), all = static_cast<double>(sources_);
  if (!input_.sloppy) return source_ > 0 ? std::optional(before_source_ * all / done) : std::nullopt;
  if (sloppy_ && source_ > 0) return before_sloppy_ + (before_source_ - before_sloppy_) * all / done;
  const std::optional<double> ratio = sloppy_ratio(input_);
  const double exact = input_.sloppy->exact, of_exact = sloppy_ ? before_sloppy_ / exact : before_source_ / done;
  if (!ratio || !(of_exact < HUGE_VAL)) return std::nullopt;
  return of_exact * (exact + all * *ratio);
}

/// The estimate is the mean time of a configuration, if there is one.
std::string CampaignProgress::time_left() const {
  const std::optional<double> each = cost_.configurations > 0 ? std::optional(cost_.seconds) : estimate_of_first();
  if (!each) return {};
  const double left = std::max(0.0, *each - seconds()) + *each * static_cast<double>(configurations_ - number_);
  return fmt::format(", {} left", describe_seconds(left));
}

void CampaignProgress::show(const std::string& text) const {
  const std::string line = fmt::format("{}/{} {}: {}{}", number_, configurations_, name_, text, time_left());
  write_to_standard_output("\r\x1b[K" + detail::printable(line.substr(0, terminal_width())));
}

}  // namespace kaon::apps
