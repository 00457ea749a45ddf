// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kaon::quda {

/// The `count` objects that were used last, by their keys.
template <class T, std::size_t count>
class Recent {
 public:
  /// The object of a key. If there is none, it is made by `make()` and replaces the object that has not been used for
  /// the longest time.
  template <class Make>
  std::shared_ptr<T> get(const std::string& key, const Make& make) {
    const auto found = std::ranges::find(objects_, key, [](const auto& object) { return object.first; });
    if (found != objects_.end()) {
      std::rotate(objects_.begin(), found, found + 1);
    } else {
      if (objects_.size() == count) objects_.pop_back();
      objects_.insert(objects_.begin(), {key, make()});
    }
    return objects_.front().second;
  }

 private:
  std::vector<std::pair<std::string, std::shared_ptr<T>>> objects_;  // the last used first
};

}  // namespace kaon::quda
