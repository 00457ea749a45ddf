// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/parameters.hpp"

#include <cstddef>
#include <string>

// Enumerations of QUDA as tables. A value that is not in its table is refused, with a list of those that are.

namespace kaon::quda {

/// An enumerator of QUDA and its meaning in kaon.
template <class Theirs, class Ours>
struct Known {
  Theirs value;
  const char* name;
  Ours meaning;
};

// An enumerator with its name.
#define KAON_KNOWN(enumerator, meaning) \
  { enumerator, #enumerator, meaning }

/// "A, B and C"
template <class Theirs, class Ours, std::size_t count>
std::string names_of(const Known<Theirs, Ours> (&table)[count]) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i) {
    names += (i == 0 ? "" : i + 1 == count ? " and " : ", ") + std::string(table[i].name);
  }
  return names;
}

/// The meaning of a member's value. Throws `Error`, naming the member, if it is not set or not in the table; the
/// message lists the table and `more`.
template <class Theirs, class Ours, std::size_t count>
Ours meaning_of(const Known<Theirs, Ours> (&table)[count], Theirs given, const char* member, const char* more = "") {
  needed(given, member);
  for (const Known<Theirs, Ours>& known : table) {
    if (known.value == given) return known.meaning;
  }
  refuse(member, given, (names_of(table) + more).c_str());
}

/// The meaning of a member that a client may leave unset, or `otherwise`.
template <class Theirs, class Ours, std::size_t count>
Ours meaning_or(Ours otherwise, const Known<Theirs, Ours> (&table)[count], Theirs given, const char* member) {
  return is_unset(given) ? otherwise : meaning_of(table, given, member);
}

}  // namespace kaon::quda
