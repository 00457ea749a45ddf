// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <memory>
#include <utility>

namespace kaon {

/// An object of type `const T` that an adapter works with: borrowed where it was given by name, owned where it was
/// given as a temporary.
///
///   const WilsonClover<double> dirac(links, {.mass = 0.1});
///   const Schur<double> borrows(dirac);                                    // `dirac` must outlive it
///   const Schur<double> owns(WilsonClover<double>(links, {.mass = 0.1}));  // no other object to hold
///
/// Copies share what they own. Parameters of this type are filled implicitly. T may be an abstract class.
template <class T>
class Ref {
 public:
  /// Borrows: `object` must outlive this and its copies.
  Ref(const T& object) : object_(&object) {}
  /// Owns: moves the temporary, which may be of a class derived from T, to where it remains.
  template <std::derived_from<T> U>
  Ref(U&& object) : Ref(std::make_shared<const U>(std::move(object))) {}
  /// Owns what the pointer owns, which must be something.
  template <std::derived_from<T> U>
  Ref(std::unique_ptr<U> object) : Ref(std::shared_ptr<const U>(std::move(object))) {}
  /// Shares what the pointer owns, which must be something.
  template <std::derived_from<T> U>
  Ref(const std::shared_ptr<U>& object) : owned_(object), object_(object.get()) {}
  /// Borrows or shares what the other does.
  template <std::derived_from<T> U>
  Ref(const Ref<U>& other) : owned_(other.owned_), object_(other.object_) {}
  /// Refers to `part`, a member or another view of the object of the other `Ref`: borrows or shares as that does.
  template <class U>
  Ref(const Ref<U>& other, const T& part) : owned_(other.owned_), object_(&part) {}

  const T& operator*() const { return *object_; }
  const T* operator->() const { return object_; }
  /// Whether it owns the object.
  bool owns() const { return owned_ != nullptr; }

 private:
  template <class U>
  friend class Ref;

  std::shared_ptr<const void> owned_;  // null: borrowed
  const T* object_;
};

}  // namespace kaon
