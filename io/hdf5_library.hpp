// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/input_file.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#ifdef KAON_HAS_HDF5
#include <hdf5.h>
#endif

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

// Private to the files of io/ that call HDF5.

namespace kaon::io::hdf5 {

#ifdef KAON_HAS_HDF5

inline std::string library_name() {
  return fmt::format("HDF5 {}.{}.{}", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
}

/// An identifier of the library, which is closed at the end.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Access without locks, which file systems of clusters often lack; `PartialFile` has its own.
inline Handle access() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors become exceptions
  Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(list, false, true);
  H5Pset_libver_bounds(list, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
  constexpr hsize_t threshold = 1 << 16, page = 4096;
  H5Pset_alignment(list, threshold, page);
  return list;
}

inline Handle open_file(const InputFile& file) {
  Handle opened(H5Fopen(file.path().c_str(), H5F_ACC_RDONLY, access()), H5Fclose);
  require(opened.valid(),
          [&] { return fmt::format("{} is damaged: {} cannot open it", file.path().string(), library_name()); });
  return opened;
}

inline std::vector<hsize_t> extents_of(hid_t space) {
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return extents;
}

#else

[[noreturn]] inline void refuse(const std::filesystem::path& path) {
  throw Error(
      fmt::format("{}: this build of kaon has no HDF5: build it where HDF5 is found (KAON_HDF5)", path.string()));
}

#endif

}  // namespace kaon::io::hdf5
