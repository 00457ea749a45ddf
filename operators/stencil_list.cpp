// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/stencil_list.hpp"

#include "operators/test_seams.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace kaon::detail {

bool StencilList::has_precision(const std::string& precision) const {
  return std::ranges::find(precisions, precision) != precisions.end();
}

bool StencilList::has_storage(LinkStorage storage) const {
  return std::ranges::find(storages, storage) != storages.end();
}

void StencilList::require(const std::string& precision, LinkStorage storage) const {
  if (has_precision(precision) && has_storage(storage)) return;
  throw Error(fmt::format(
      "this kaon was built without operators in {} precision on links of {} reals (left out: {}). Take others, or "
      "build kaon with all of CMake's KAON_PRECISIONS and KAON_LINK_STORAGES",
      precision, reals(storage), left_out()));
}

std::string StencilList::left_out() const {
  std::vector<std::string> names;
  for (const char* precision : {"double", "single", "half"}) {
    if (!has_precision(precision)) names.push_back(precision + std::string(" precision"));
  }
  for (const LinkStorage storage : {LinkStorage::full, LinkStorage::two_rows_and_determinant, LinkStorage::two_rows,
                                    LinkStorage::minimal_and_determinant, LinkStorage::minimal}) {
    if (!has_storage(storage)) names.push_back(fmt::format("links of {} reals", reals(storage)));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

namespace {
StencilList& list() {
  static StencilList stencils = [] {
    StencilList built{.precisions = {KAON_PRECISIONS}, .storages = {}};
    for (const int count : {KAON_LINK_STORAGES}) built.storages.push_back(static_cast<LinkStorage>(count));
    return built;
  }();
  return stencils;
}
}  // namespace

const StencilList& compiled_stencils() { return list(); }

PretendedStencils::PretendedStencils(StencilList pretended) : all_(std::exchange(list(), std::move(pretended))) {}
PretendedStencils::~PretendedStencils() { list() = std::move(all_); }

}  // namespace kaon::detail
