// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/call.hpp"

#include <cstdint>
#include <memory>

namespace kaon::capi {

/// Counts the changes that functions of kaon.h make to the links of a handle.
class LinkChanges {
 public:
  LinkChanges() : LinkChanges(1) {}
  /// Links that are all zero, before their first change.
  static LinkChanges of_zero_links() { return LinkChanges(0); }

  /// To be called once links have changed.
  void add() { ++links_->changes; }
  bool none() const { return links_->changes == 0; }
  /// The calls that use the links, through this handle or through operators and solvers.
  std::shared_ptr<Use> use() const { return {links_, &links_->use}; }

 private:
  friend class LinksAsMade;
  struct Links {
    std::uint64_t changes;
    Use use{};
  };
  explicit LinkChanges(std::uint64_t first) : links_(std::make_shared<Links>(first)) {}
  std::shared_ptr<Links> links_;
};

/// The links that an operator or a solver shares, as they were when it was made. Its hops follow a change of them, but
/// not its clover terms and its links in lower precision.
class LinksAsMade {
 public:
  /// For an operator with links of its own, which do not change.
  LinksAsMade() = default;
  explicit LinksAsMade(const LinkChanges& changes) : now_(changes.links_), then_(now_->changes) {}

  bool unchanged() const { return now_ == nullptr || now_->changes == then_; }
  /// Throws `Error` if the links have changed since.
  void require_unchanged() const {
    require(unchanged(),
            "the links have changed since this operator was made: make it anew, and its solvers anew or by an update");
  }
  /// The calls that use the links; null if they are the operator's own.
  std::shared_ptr<Use> use() const { return now_ != nullptr ? std::shared_ptr<Use>(now_, &now_->use) : nullptr; }

 private:
  std::shared_ptr<LinkChanges::Links> now_;
  std::uint64_t then_ = 0;
};

}  // namespace kaon::capi
