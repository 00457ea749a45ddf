// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/save.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/output.hpp"
#include "apps/ensemble/run_files.hpp"
#include "core/tuning/phases.hpp"

#include <algorithm>
#include <utility>

namespace kaon::apps {

Save::Save(const Session& session, const EnsembleOptions& options, const EnsembleState& state,
           Configuration configuration, const Checkpoint* checkpoint)
    : session_(session),
      options_(options),
      progress_(state),
      lattice_(state.links.lattice()),
      configuration_(std::move(configuration)),
      has_checkpoint_(checkpoint != nullptr) {
  const detail::Phase phase(detail::PhaseName::write);
  const auto links = std::make_shared<const io::HostLinks>(io::to_host_links(state.links));
  const GaugeOutputOptions& format = options.output.format;
  if (!configuration_.file.empty()) {
    configuration_links_ =
        start_gauge_file("--output", configuration_.file, lattice_, links, format, configuration_.number);
  }
  const bool is_shared = configuration_links_ && format.format == "ildg" && format.precision == "double";
  if (checkpoint != nullptr && !is_shared) {
    checkpoint_links_ = start_gauge_file("--output", checkpoint->links_file(), lattice_, links, {});
  }
}

bool Save::is_running() const {
  return (configuration_links_ && configuration_links_->is_running()) ||
         (checkpoint_links_ && checkpoint_links_->is_running());
}

io::Checksum Save::commit(io::GaugeWrite& file) {
  const io::Checksum checksum = with_option("--output", [&] { return file.commit(); });
  last_thread_ = std::max(last_thread_, file.end());
  return checksum;
}

void Save::complete(const EnsembleMethod& method, Checkpoint& checkpoint) {
  const detail::Phase phase(detail::PhaseName::write);
  const Clock::time_point begin = Clock::now();
  io::Checksum checksum{};
  if (configuration_links_) {
    checksum = commit(*configuration_links_);
    report_complete_file(configuration_.file);
  }
  if (has_checkpoint_) {
    if (checkpoint_links_) {
      checksum = commit(*checkpoint_links_);
    } else {
      name_or_copy(session_, configuration_.file, checkpoint.links_file());
    }
    checkpoint.write(session_, lattice_, options_, method, progress_, checksum);
  }
  const std::chrono::duration<double> until_threads = last_thread_ - start_,
                                      behind = Clock::now() - std::max(begin, last_thread_);
  seconds_ = until_threads.count() + behind.count();
}

}  // namespace kaon::apps
