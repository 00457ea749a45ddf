// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kaon::detail {

/// Returns whether this build has HDF5.
bool has_hdf5();

/// The bytes of an HDF5 file, built in memory. Equal calls make equal bytes: objects have no times. HDF5 1.10 and later
/// read them. All calls throw `Error` if the library refuses, or in builds without HDF5.
class Hdf5Image {
 public:
  /// Names of the members of complex numbers: {r, i} is complex for h5py, {re, im} is Hadrons' own.
  struct ComplexNames {
    const char* real;
    const char* imaginary;
  };

  Hdf5Image();
  ~Hdf5Image();
  Hdf5Image(const Hdf5Image&) = delete;
  Hdf5Image& operator=(const Hdf5Image&) = delete;

  /// Makes a group, "/meson/l_l", and those above it that are missing.
  void add_group(const std::string& path);

  // Attributes of a group or a data set.

  void set(const std::string& path, const char* name, const std::string& text);
  void set(const std::string& path, const char* name, double number);
  void set(const std::string& path, const char* name, const std::vector<std::int32_t>& numbers);
  void set(const std::string& path, const char* name, std::int32_t number);
  void set(const std::string& path, const char* name, const std::vector<std::string>& texts);
  /// An array of one text of fixed length.
  void set_fixed(const std::string& path, const char* name, const std::string& text);

  // Data sets.

  void add(const std::string& path, const std::vector<std::int32_t>& numbers, const std::vector<std::size_t>& shape);
  void add(const std::string& path, const std::vector<std::string>& texts);
  void add(const std::string& path, const std::complex<double>* numbers, const std::vector<std::size_t>& shape,
           ComplexNames names);

  std::string bytes() const;

 private:
  std::int64_t file_ = -1;
};

}  // namespace kaon::detail
