// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/hdf5_image.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#ifdef KAON_HAS_HDF5
#include <hdf5.h>
#endif

#include <algorithm>
#include <utility>

namespace kaon::detail {

#ifdef KAON_HAS_HDF5
bool has_hdf5() { return true; }

namespace {

/// An identifier of the library, which is closed at the end.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    require(id >= 0, [&] { return "HDF5 cannot make " + what; });
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void require_done(herr_t status, const std::string& what) {
  require(status >= 0, [&] { return "HDF5 cannot write " + what; });
}

std::vector<hsize_t> sizes(const std::vector<std::size_t>& shape) { return {shape.begin(), shape.end()}; }

/// The space of an array; of a single value for an empty shape.
Handle space_of(const std::vector<std::size_t>& shape) {
  const std::vector<hsize_t> extents = sizes(shape);
  return {extents.empty() ? H5Screate(H5S_SCALAR)
                          : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
          H5Sclose, "the shape of an array"};
}

/// The type of texts of any length in UTF-8.
Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "a type");
  require_done(H5Tset_size(type, H5T_VARIABLE), "a type");
  require_done(H5Tset_cset(type, H5T_CSET_UTF8), "a type");
  return type;
}

Handle complex_type(const Hdf5Image::ComplexNames& names) {
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * sizeof(double)), H5Tclose, "a type");
  require_done(H5Tinsert(type, names.real, 0, H5T_NATIVE_DOUBLE), "a type");
  require_done(H5Tinsert(type, names.imaginary, sizeof(double), H5T_NATIVE_DOUBLE), "a type");
  return type;
}

void write_attribute(hid_t file, const std::string& path, const char* name, hid_t type, const Handle& space,
                     const void* data) {
  const Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose, path);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         fmt::format("the attribute {} of {}", name, path));
  require_done(H5Awrite(attribute, type, data), name);
}

void write_data(hid_t file, const std::string& path, hid_t type, const Handle& space, const void* data) {
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path);
  require_done(H5Pset_obj_track_times(properties, false), path);
  const Handle set(H5Dcreate2(file, path.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose, path);
  require_done(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), path);
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

}  // namespace

Hdf5Image::Hdf5Image() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors become exceptions
  constexpr std::size_t increment = 1 << 20;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "a file"),
      made(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "a file");
  require_done(H5Pset_fapl_core(access, increment, false), "a file in memory");
  require_done(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110), "a file");
  require_done(H5Pset_obj_track_times(made, false), "a file");
  file_ = H5Fcreate("measurement", H5F_ACC_TRUNC, made, access);
  require(file_ >= 0, "HDF5 cannot make a file in memory");
}

Hdf5Image::~Hdf5Image() { H5Fclose(file_); }

void Hdf5Image::add_group(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0) {
      const Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, part);
      require_done(H5Pset_obj_track_times(properties, false), part);
      const Handle group(H5Gcreate2(file_, part.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose, part);
    }
    if (end == path.npos) return;
  }
}

void Hdf5Image::set(const std::string& path, const char* name, const std::string& text) {
  const char* const pointer = text.c_str();
  write_attribute(file_, path, name, text_type(), space_of({}), &pointer);
}

void Hdf5Image::set(const std::string& path, const char* name, double number) {
  write_attribute(file_, path, name, H5T_NATIVE_DOUBLE, space_of({}), &number);
}

void Hdf5Image::set(const std::string& path, const char* name, std::int32_t number) {
  write_attribute(file_, path, name, H5T_NATIVE_INT32, space_of({}), &number);
}

void Hdf5Image::set(const std::string& path, const char* name, const std::vector<std::int32_t>& numbers) {
  write_attribute(file_, path, name, H5T_NATIVE_INT32, space_of({numbers.size()}), numbers.data());
}

void Hdf5Image::set(const std::string& path, const char* name, const std::vector<std::string>& texts) {
  write_attribute(file_, path, name, text_type(), space_of({texts.size()}), pointers(texts).data());
}

void Hdf5Image::set_fixed(const std::string& path, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "a type");
  require_done(H5Tset_size(type, std::max<std::size_t>(text.size(), 1)), "a type");
  require_done(H5Tset_strpad(type, H5T_STR_NULLPAD), "a type");
  write_attribute(file_, path, name, type, space_of({1}), text.c_str());
}

void Hdf5Image::add(const std::string& path, const std::vector<std::int32_t>& numbers,
                    const std::vector<std::size_t>& shape) {
  write_data(file_, path, H5T_NATIVE_INT32, space_of(shape), numbers.data());
}

void Hdf5Image::add(const std::string& path, const std::vector<std::string>& texts) {
  write_data(file_, path, text_type(), space_of({texts.size()}), pointers(texts).data());
}

void Hdf5Image::add(const std::string& path, const std::complex<double>* numbers, const std::vector<std::size_t>& shape,
                    ComplexNames names) {
  write_data(file_, path, complex_type(names), space_of(shape), numbers);
}

std::string Hdf5Image::bytes() const {
  require_done(H5Fflush(file_, H5F_SCOPE_GLOBAL), "a file in memory");
  const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
  require(size > 0, "HDF5 cannot return a file from memory");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  require(H5Fget_file_image(file_, bytes.data(), bytes.size()) == size, "HDF5 cannot return a file from memory");
  return bytes;
}

#else

bool has_hdf5() { return false; }

Hdf5Image::Hdf5Image() { throw Error("this build of kaon has no HDF5"); }
Hdf5Image::~Hdf5Image() = default;
void Hdf5Image::add_group(const std::string&) {}
void Hdf5Image::set(const std::string&, const char*, const std::string&) {}
void Hdf5Image::set(const std::string&, const char*, double) {}
void Hdf5Image::set(const std::string&, const char*, std::int32_t) {}
void Hdf5Image::set(const std::string&, const char*, const std::vector<std::int32_t>&) {}
void Hdf5Image::set(const std::string&, const char*, const std::vector<std::string>&) {}
void Hdf5Image::set_fixed(const std::string&, const char*, const std::string&) {}
void Hdf5Image::add(const std::string&, const std::vector<std::int32_t>&, const std::vector<std::size_t>&) {}
void Hdf5Image::add(const std::string&, const std::vector<std::string>&) {}
void Hdf5Image::add(const std::string&, const std::complex<double>*, const std::vector<std::size_t>&, ComplexNames) {}
std::string Hdf5Image::bytes() const { return {}; }

#endif

}  // namespace kaon::detail
