// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/stencil_list.hpp"

#include <initializer_list>
#include <vector>

namespace kaon::test {

/// The storages in the list for which this build has operators (KAON_LINK_STORAGES).
inline std::vector<LinkStorage> built(std::initializer_list<LinkStorage> storages) {
  std::vector<LinkStorage> found;
  for (const LinkStorage storage : storages) {
    if (detail::compiled_stencils().has_storage(storage)) found.push_back(storage);
  }
  return found;
}

}  // namespace kaon::test
