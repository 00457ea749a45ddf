// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <string>
#include <vector>

namespace kaon::detail {

/// The precisions of operators and the storages of their links for which stencils were compiled.
struct StencilList {
  std::vector<std::string> precisions;  ///< as `precision_name` has them
  std::vector<LinkStorage> storages;

  bool has_precision(const std::string& precision) const;
  bool has_storage(LinkStorage storage) const;
  /// Throws `Error`, which names the options of CMake, unless both were compiled.
  void require(const std::string& precision, LinkStorage storage) const;
  /// "single precision, links of 8 reals"; empty if nothing is.
  std::string left_out() const;
};

/// The stencils of this build: all, or as KAON_PRECISIONS and KAON_LINK_STORAGES say.
const StencilList& compiled_stencils();

}  // namespace kaon::detail
