// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/campaign_progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

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

CampaignProgress::CampaignProgress(const Session& session, std::size_t configurations, const CampaignLog& log)
    : session_(session),
      log_(log),
      configurations_(configurations),
      is_terminal_(session.communicator().size() == 1 && ::isatty(STDOUT_FILENO) == 1) {}

void CampaignProgress::begin(const std::string& name) {
  name_ = name;
  ++number_;
  source_ = sources_ = 0;
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
              [this](const std::string& quarks, std::size_t source, std::size_t sources) {
                if (sources_ == 0 || source != source_) {
                  log_.begin_source(name_, source, sources);
                  before_source_ = seconds();
                }
                source_ = source;
                sources_ = sources;
                solve_ = fmt::format("source {}/{}, quark {}", source + 1, sources, quarks);
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

/// The estimate is the mean time of a configuration, or for the first one the time of its sources before this one.
std::string CampaignProgress::time_left() const {
  double each = cost_.seconds;
  if (cost_.configurations == 0) {
    if (source_ == 0) return {};
    each = before_source_ * static_cast<double>(sources_) / static_cast<double>(source_);
  }
  const double left = std::max(0.0, each - seconds()) + each * static_cast<double>(configurations_ - number_);
  return fmt::format(", {} left", describe_seconds(left));
}

void CampaignProgress::show(const std::string& text) const {
  const std::string line = fmt::format("{}/{} {}: {}{}", number_, configurations_, name_, text, time_left());
  write_to_standard_output("\r\x1b[K" + detail::printable(line.substr(0, terminal_width())));
}

}  // namespace kaon::apps
