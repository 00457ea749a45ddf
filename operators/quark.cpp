// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/stencil_list.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/quark.hpp>

#include <memory>
#include <optional>

namespace kaon {

template <class T>
LinkStorage Quark<T>::compressed_links() const {
  return detail::compiled_stencils().has_storage(compressed_) ? compressed_ : LinkStorage::full;
}

template <class T>
Quark<T> Quark<T>::cached() const {
  Quark quark = *this;
  const auto cache = []<class S>(Make<S>& make) {
    struct Made {
      LinkStorage links;
      HaloPrecision halo;
      Ref<EvenOddOperator<S>> dirac;
    };
    make = [make, last = std::make_shared<std::optional<Made>>()](LinkStorage links, HaloPrecision halo) {
      if (!*last || (*last)->links != links || (*last)->halo != halo) last->emplace(links, halo, make(links, halo));
      return (*last)->dirac;
    };
  };
  std::apply([&](auto&... each) { (cache(each), ...); }, quark.make_);
  return quark;
}

template <class T>
Quark<T> Quark<T>::with_mass(double mass) const {
  require(can_change_mass(), "several masses in one Krylov space are for staggered operators");
  return with_mass_(mass);
}

template class Quark<double>;
template class Quark<float>;

}  // namespace kaon
