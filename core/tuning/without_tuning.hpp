// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/tuning.hpp>

namespace kaon::detail {

/// Switches tuning off during its lifetime, in all processes: equal launches have equal shapes, and thus equal digits.
class WithoutTuning {
 public:
  WithoutTuning() : was_on_(tuning_is_on()) { set_tuning(false); }
  ~WithoutTuning() { set_tuning(was_on_); }
  WithoutTuning(const WithoutTuning&) = delete;
  WithoutTuning& operator=(const WithoutTuning&) = delete;

 private:
  bool was_on_;
};

}  // namespace kaon::detail
