// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>

#include <cstdint>
#include <memory>

namespace kaon::capi {

/// Counts the changes that functions of kaon.h make to the links of a handle.
class LinkChanges {
 public:
  LinkChanges() : LinkChanges(1) {}
  /// Of links that are all zero, before their first change.
  static LinkChanges of_zero_links() { return LinkChanges(0); }

  /// To be called once links have changed.
  void add() { ++*count_; }
  bool none() const { return *count_ == 0; }

 private:
  friend class LinksAsMade;
  explicit LinkChanges(std::uint64_t first) : count_(std::make_shared<std::uint64_t>(first)) {}
  std::shared_ptr<std::uint64_t> count_;
};

/// The links that an operator or a solver shares, as they were when it was made. Its hops follow a change of them, but
/// not its clover terms and its links in lower precision.
class LinksAsMade {
 public:
  /// Of an operator with links of its own, which nothing changes.
  LinksAsMade() = default;
  explicit LinksAsMade(const LinkChanges& changes) : now_(changes.count_), then_(*now_) {}

  /// Throws `Error` if the links have changed since.
  void require_unchanged() const {
    require(now_ == nullptr || *now_ == then_,
            "the links have changed since this operator was made: make it anew, and its solvers anew or by an update");
  }

 private:
  std::shared_ptr<const std::uint64_t> now_;
  std::uint64_t then_ = 0;
};

}  // namespace kaon::capi
