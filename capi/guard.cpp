// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/guard.hpp"

#include "core/device/allocated_bytes.hpp"

#include <kaon/comm/build_info.hpp>

#include <fmt/ranges.h>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <string_view>

namespace kaon::capi {
namespace {

/// Returns whether the caller is in a parallel region of OpenMP, of one thread too. Kokkos launches no kernel there: it
/// ends the program.
bool in_parallel_region() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return omp_get_level() > 0;
#else
  return false;
#endif
}

thread_local std::string last_error;

kaon_status remember(kaon_status status, const char* function, const char* text) noexcept {
  try {
    last_error = fmt::format("{}: {}", function, text);
  } catch (...) {
    last_error.clear();  // there is no memory for a text
  }
  return status;
}

}  // namespace

kaon_status status_of_exception(const char* function, kaon_status of_kaon) noexcept {
  try {
    throw;
  } catch (const Unsupported& error) {
    return remember(KAON_UNSUPPORTED, function, error.what());
  } catch (const Error& error) {
    return remember(of_kaon, function, error.what());
  } catch (const std::bad_alloc&) {
    return remember(KAON_MEMORY, function, "there is not enough memory");
  } catch (const std::exception& error) {
    return remember(detail::lacks_memory(error) ? KAON_MEMORY : KAON_INTERNAL, function, error.what());
  } catch (...) {
    return remember(KAON_INTERNAL, function, "an unknown exception");
  }
}

void require_serial_caller() {
  require(
      !in_parallel_region(),
      "called in a parallel region of OpenMP, where kaon's own threads cannot start: call it outside of the region");
}

void require_read(std::string_view reader, const std::vector<std::string_view>& read,
                  const std::vector<NamedOption>& options, std::source_location where) {
  for (const auto& [name, set] : options) {
    require(
        !set || std::find(read.begin(), read.end(), name) != read.end(),
        [&, option = name] {
          return fmt::format("{} is set, but {} does not read it: it reads {}; leave others at their defaults", option,
                             reader, fmt::join(read, ", "));
        },
        where);
  }
}

}  // namespace kaon::capi

extern "C" {

const char* kaon_version() {
  static const std::string version = [] {
    try {
      return kaon::build_info().version;
    } catch (...) {
      return std::string();
    }
  }();
  return version.c_str();
}

const char* kaon_last_error() { return kaon::capi::last_error.c_str(); }

const char* kaon_status_name(kaon_status status) {
  constexpr auto& names = kaon::capi::names_of<kaon_status>;
  return status >= 0 && status < std::ssize(names) ? names[static_cast<std::size_t>(status)] : "no status of kaon";
}
}
