// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/collective.hpp"
#include "io/part.hpp"
#include "tests/io/files.hpp"
#include "tests/io/random_links.hpp"
#include "tests/support/processes.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kaon::test {

/// More than one piece of a file, and as few sites in a row as one process may hold.
inline const Coordinates parallel_extents{8, 4, 12, 8};

/// Grids that cut a lattice in every direction, and several at once.
inline std::vector<Coordinates> grids(int processes) {
  switch (processes) {
    case 2:
      return {{1, 1, 1, 2}, {1, 1, 2, 1}, {1, 2, 1, 1}, {2, 1, 1, 1}};
    case 4:
      return {{1, 1, 1, 4}, {1, 1, 2, 2}, {4, 1, 1, 1}, {2, 2, 1, 1}};
    case 8:
      return {{1, 1, 2, 4}, {2, 1, 2, 2}, {4, 2, 1, 1}};
    default:
      return {{1, 1, 1, processes}};
  }
}

/// Lattices on these grids, where the extents allow them, and one with its ranks in reverse order.
inline std::vector<Lattice> parallel_lattices(const Coordinates& extents) {
  std::vector<Lattice> lattices;
  const auto add = [&](const Coordinates& grid, const std::vector<int>& ranks) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      if (extents[mu] % (2 * grid[mu]) != 0) return;
    }
    lattices.emplace_back(processes(), LatticeParameters{.extents = extents, .process_grid = grid, .ranks = ranks});
  };
  std::vector<int> reversed;
  for (int rank = processes().size(); rank-- > 0;) reversed.push_back(rank);
  for (const Coordinates& grid : grids(processes().size())) add(grid, {});
  add(grids(processes().size()).back(), reversed);
  return lattices;
}

/// A folder of all processes, empty at first. All see the work of the first process on it in `prepare`.
class SharedFolder {
 public:
  explicit SharedFolder(const std::function<void(const TemporaryFolder&)>& prepare = {}) {
    if (processes().rank() == 0) {
      folder_.emplace();
      if (prepare) prepare(*folder_);
    }
    path_ = io::broadcast(processes(), folder_ ? folder_->path().string() : "");
  }
  ~SharedFolder() { processes().barrier(); }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

  /// Runs `check` on the first process while the others wait.
  void look(const std::function<void(const TemporaryFolder&)>& check) const {
    processes().barrier();
    if (folder_) check(*folder_);
    processes().barrier();
  }

 private:
  std::optional<TemporaryFolder> folder_;
  std::filesystem::path path_;
};

/// The action throws an `Error` on every process, whose text has the part.
inline std::string expect_errors(const std::function<void()>& action, const std::string& part) {
  std::string text = error_text(action);
  expect_text(text, part);
  return text;
}

/// It throws the same on all.
inline void expect_one_error(const std::function<void()>& action, const std::string& part) {
  const std::string text = expect_errors(action, part);
  EXPECT_EQ(text, io::broadcast(processes(), text));
}

/// "(on process 1 of 4)", "(on all 4 processes)": what errors say of who failed; nothing if there is only one.
inline std::string on_process(int rank) {
  return processes().size() == 1 ? "" : fmt::format("(on process {} of {})", rank, processes().size());
}
inline std::string on_all() {
  return processes().size() == 1 ? "" : fmt::format("(on all {} processes)", processes().size());
}

}  // namespace kaon::test
