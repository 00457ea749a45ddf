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
  const auto write_links = [this, part, links] {
    return write_own_sites(*started_.file, started_.body.offset, part, links->links, started_.body.numbers,
                           started_.body.kind);
  };
  const auto end = [this] {
    started_.file->flush_own();
    end_ = std::chrono::steady_clock::now();
  };
  if constexpr (on_device) {
    body_ = std::async(std::launch::async, [write_links, end] {
      leave_one_thread();
      const Checksum checksum = write_links();
      end();
      return checksum;
    });
  } else {
    Checksum checksum{};
    together(communicator_, [&] { checksum = write_links(); });
    body_ = std::async(std::launch::async, [checksum, end] {
      end();
      return checksum;
    });
  }
}

bool GaugeWrite::is_running() const {
  return body_.valid() && body_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

Checksum GaugeWrite::commit() {
  Checksum own{};
  together(communicator_, [&] { own = body_.get(); });
  const Checksum checksum = combine(communicator_, own);
  started_.body.finish(checksum);
  started_.file->commit();
  return checksum;
}

}  // namespace kaon::io
