// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge/gauge_write.hpp"
#include "io/collective.hpp"
#include "io/host_threads.hpp"

#include <kaon/core/execution.hpp>

#include <utility>

namespace kaon::io {

GaugeWrite::GaugeWrite(const std::filesystem::path& path, const Part& part, std::shared_ptr<const HostLinks> links,
                       const WriteOptions& options)
    : communicator_(part.communicator), started_(start_gauge(path, part, *links, options)) {
  const auto write_links = [this, part, links] { return write_own_links(started_, part, *links); };
  const auto end = [this] {
    started_.file->flush_own();
    end_ = std::chrono::steady_clock::now();
  };
  if constexpr (on_device) {
    body_ = std::async(std::launch::async, [write_links, end] {
      leave_one_thread();
      auto checksums = write_links();
      end();
      return checksums;
    });
  } else {
    std::vector<Checksum> checksums;
    together(communicator_, [&] { checksums = write_links(); });
    body_ = std::async(std::launch::async, [checksums, end] {
      end();
      return checksums;
    });
  }
}

bool GaugeWrite::is_running() const {
  return body_.valid() && body_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

Checksum GaugeWrite::commit() {
  std::vector<Checksum> own;
  together(communicator_, [&] { own = body_.get(); });
  const Checksum checksum = finish_gauge(started_, communicator_, std::move(own));
  started_.file->commit();
  return checksum;
}

}  // namespace kaon::io
