// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/hdf5_field.hpp"
#include "io/hdf5_library.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::io {

#ifdef KAON_HAS_HDF5
namespace {

using hdf5::Handle;

void require_done(bool done, const std::filesystem::path& path) {
  require(done, [&] { return fmt::format("cannot write {}: HDF5 cannot write its part of it", path.string()); });
}

Handle type_of(int bits, const std::vector<std::vector<int>>& arrays) {
  const hid_t real = bits == 32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  const std::size_t size = H5Tget_size(real);
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose);
  H5Tinsert(type, "r", 0, real);
  H5Tinsert(type, "i", size, real);
  for (auto array = arrays.rbegin(); array != arrays.rend(); ++array) {
    const std::vector<hsize_t> extents(array->begin(), array->end());
    type = Handle(H5Tarray_create2(type, static_cast<unsigned>(extents.size()), extents.data()), H5Tclose);
  }
  return type;
}

/// Makes the groups above an object.
bool make_groups(hid_t file, const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (H5Lexists(file, part.c_str(), H5P_DEFAULT) > 0) continue;
    const Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_obj_track_times(properties, false);
    if (!Handle(H5Gcreate2(file, part.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose).valid()) return false;
  }
  return true;
}

/// Makes a data set whose place in the file is known at once.
std::optional<std::uint64_t> make_set(hid_t file, const NewHdf5Field& field, const Coordinates& extents, int bits) {
  if (!make_groups(file, field.path)) return std::nullopt;
  std::vector<hsize_t> shape(extents.rbegin(), extents.rend());
  shape.insert(shape.end(), field.inner.begin(), field.inner.end());
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose),
      properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties, false);
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
  const Handle set(
      H5Dcreate2(file, field.path.c_str(), type_of(bits, field.arrays), space, H5P_DEFAULT, properties, H5P_DEFAULT),
      H5Dclose);
  const haddr_t offset = set.valid() ? H5Dget_offset(set) : HADDR_UNDEF;
  return offset == HADDR_UNDEF ? std::nullopt : std::optional<std::uint64_t>(offset);
}

bool add_attribute(hid_t file, const Hdf5Attribute& attribute) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose),
      object(H5Oopen(file, attribute.path.c_str(), H5P_DEFAULT), H5Oclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const Handle made(H5Acreate2(object, attribute.name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* const text = attribute.text.c_str();
  return made.valid() && H5Awrite(made, type, static_cast<const void*>(&text)) >= 0;
}

}  // namespace

std::vector<std::uint64_t> make_hdf5(OutputFile& file, const Coordinates& extents, int bits,
                                     std::span<const NewHdf5Field> fields) {
  std::vector<std::uint64_t> offsets(fields.size());
  file.edit([&](const std::filesystem::path& path) {
    const Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_obj_track_times(properties, false);
    Handle made(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties, hdf5::access()), H5Fclose);
    require_done(made.valid(), file.path());
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const auto offset = make_set(made, fields[k], extents, bits);
      require_done(offset.has_value(), file.path());
      offsets[k] = *offset;
    }
    require_done(H5Fflush(made, H5F_SCOPE_GLOBAL) >= 0, file.path());
  });
  // The root has the places.
  file.communicator().broadcast(offsets.data(), offsets.size() * sizeof offsets[0]);
  return offsets;
}

void add_hdf5_attributes(OutputFile& file, std::span<const Hdf5Attribute> attributes) {
  file.edit([&](const std::filesystem::path& path) {
    const Handle opened(H5Fopen(path.c_str(), H5F_ACC_RDWR, hdf5::access()), H5Fclose);
    bool done = opened.valid();
    for (const Hdf5Attribute& attribute : attributes) done = done && add_attribute(opened, attribute);
    require_done(done && H5Fflush(opened, H5F_SCOPE_GLOBAL) >= 0, file.path());
  });
}

#else

std::vector<std::uint64_t> make_hdf5(OutputFile& file, const Coordinates&, int, std::span<const NewHdf5Field>) {
  hdf5::refuse(file.path());
}
void add_hdf5_attributes(OutputFile& file, std::span<const Hdf5Attribute>) { hdf5::refuse(file.path()); }

#endif

}  // namespace kaon::io
