// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/hdf5_field.hpp"
#include "core/base/partial_file.hpp"
#include "io/collective.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#ifdef KAON_HAS_HDF5
#include <hdf5.h>
#endif

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <functional>
#include <utility>

namespace kaon::io {

bool is_hdf5(const InputFile& file) {
  constexpr std::array<unsigned char, 8> signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  std::array<std::byte, signature.size()> start{};
  if (file.size() < start.size()) return false;
  file.read(start, 0);
  return std::ranges::equal(start, signature, {}, [](std::byte byte) { return std::to_integer<unsigned char>(byte); });
}

std::string describe(std::span<const Hdf5Field> fields) {
  std::string text;
  for (const Hdf5Field& field : fields) {
    text += fmt::format("{}{} [{}]{}", text.empty() ? "" : ", ", field.path,
                        fmt::join(field.extents.rbegin(), field.extents.rend(), "]["),
                        field.inner.empty() ? "" : fmt::format("[{}]", fmt::join(field.inner, "][")));
  }
  return text.empty() ? "none" : text;
}

#ifdef KAON_HAS_HDF5
namespace {

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
Handle access() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors become exceptions
  Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(list, false, true);
  H5Pset_libver_bounds(list, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
  constexpr hsize_t threshold = 1 << 16, page = 4096;
  H5Pset_alignment(list, threshold, page);
  return list;
}

Handle open_file(const InputFile& file) {
  Handle opened(H5Fopen(file.path().c_str(), H5F_ACC_RDONLY, access()), H5Fclose);
  require(opened.valid(), [&] {
    return fmt::format("{} is damaged: HDF5 {}.{}.{} cannot open it", file.path().string(), H5_VERS_MAJOR,
                       H5_VERS_MINOR, H5_VERS_RELEASE);
  });
  return opened;
}

std::vector<hsize_t> extents_of(hid_t space) {
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return extents;
}

/// Adds the extents of arrays in a type, and returns the type of an element.
Handle element_type(Handle type, std::vector<hsize_t>& extents) {
  while (type.valid() && H5Tget_class(type) == H5T_ARRAY) {
    std::vector<hsize_t> of_array(static_cast<std::size_t>(std::max(H5Tget_array_ndims(type), 0)));
    H5Tget_array_dims2(type, of_array.data());
    extents.insert(extents.end(), of_array.begin(), of_array.end());
    type = Handle(H5Tget_super(type), H5Tclose);
  }
  return type;
}

std::string name_of_member(hid_t type, unsigned member) {
  char* const stored = H5Tget_member_name(type, member);
  if (stored == nullptr) return {};
  const std::string name = stored;
  H5free_memory(stored);
  return name;
}

/// The type of the real numbers of a complex one; none if the type is not complex.
std::optional<Handle> real_type(hid_t type) {
#if H5_VERSION_GE(2, 0, 0)
  if (H5Tget_class(type) == H5T_COMPLEX) return Handle(H5Tget_super(type), H5Tclose);
#endif
  if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return std::nullopt;
  const std::pair names{name_of_member(type, 0), name_of_member(type, 1)};
  if (names != std::pair<std::string, std::string>("r", "i") &&
      names != std::pair<std::string, std::string>("re", "im") &&
      names != std::pair<std::string, std::string>("real", "imag")) {
    return std::nullopt;
  }
  Handle real(H5Tget_member_type(type, 0), H5Tclose);
  const Handle imaginary(H5Tget_member_type(type, 1), H5Tclose);
  const std::size_t size = H5Tget_size(real);
  const bool dense = H5Tget_member_offset(type, 0) == 0 && H5Tget_member_offset(type, 1) == size &&
                     H5Tget_size(type) == 2 * size && H5Tequal(real, imaginary) > 0;
  return dense ? std::optional(std::move(real)) : std::nullopt;
}

std::string text_of(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose), type(H5Aget_type(attribute), H5Tclose),
      space(H5Aget_space(attribute), H5Sclose);
  constexpr std::size_t longest = 1 << 20;
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tis_variable_str(type) > 0) {
    const Handle wanted(H5Tcopy(type), H5Tclose);
    char* stored = nullptr;
    if (H5Aread(attribute, wanted, static_cast<void*>(&stored)) < 0 || stored == nullptr) return {};
    std::string text(stored, std::min(std::char_traits<char>::length(stored), longest));
    H5Dvlen_reclaim(wanted, space, H5P_DEFAULT, static_cast<void*>(&stored));
    return text;
  }
  if (H5Tget_size(type) > longest) return {};
  std::string text(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return {};
  return text.substr(0, text.find('\0'));
}

std::optional<Checksum> checksum_of(hid_t set) {
  const auto number = [&](const char* name) -> std::optional<std::uint32_t> {
    const std::string text = text_of(set, name);
    if (text.empty() || text.size() > 8 || text.find_first_not_of("0123456789abcdefABCDEF") != text.npos) return {};
    return static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
  };
  const auto sum29 = number("sum29"), sum31 = number("sum31");
  if (!sum29 || !sum31) return std::nullopt;
  return Checksum{.kind = ChecksumKind::pyquda, .first = *sum29, .second = *sum31};
}

/// Calls `action` in a child process and returns what it returns. HDF5 crashes on some damaged files, and never returns
/// from others.
std::string in_child(const std::filesystem::path& path, const std::function<std::string()>& action) {
  std::array<int, 2> ends{};
  const auto require_system = [&](bool done) {
    require(done, [&] { return fmt::format("cannot read {}: {}", path.string(), kaon::detail::system_reason()); });
  };
  require_system(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    // The handlers of this program are not for a child that crashes.
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGTERM, SIGINT, SIGHUP}) {
      std::signal(signal, SIG_DFL);
    }
    constexpr rlimit no_core{}, seconds{.rlim_cur = 10, .rlim_max = 10};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::setrlimit(RLIMIT_CPU, &seconds);
    std::string text;
    try {
      text = "+" + action() + "\n";
    } catch (const std::exception& error) {
      text = std::string("-") + error.what() + "\n";
    }
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t put = ::write(ends[1], text.data() + done, text.size() - done);
      if (put <= 0 && errno != EINTR) break;
      done += static_cast<std::size_t>(std::max<ssize_t>(put, 0));
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t got = 1; child > 0 && got != 0;) {
    got = ::read(ends[0], piece.data(), piece.size());
    if (got < 0 && errno != EINTR) break;
    text.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  ::close(ends[0]);
  require_system(child > 0);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  require(text.ends_with('\n'), [&] {
    return fmt::format("{} is damaged: HDF5 {}.{}.{} fails when it opens the file", path.string(), H5_VERS_MAJOR,
                       H5_VERS_MINOR, H5_VERS_RELEASE);
  });
  text.pop_back();
  // An error has the place in the source, which the new one adds.
  require(text.front() == '+', [&] { return text.substr(1, text.rfind(" [") - 1); });
  return text.substr(1);
}

/// The data set as a field; none if it is not one.
std::optional<Hdf5Field> field_of(const InputFile& input, hid_t file, const std::string& path) {
  const Handle set(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.valid()) return std::nullopt;
  const Handle space(H5Dget_space(set), H5Sclose), properties(H5Dget_create_plist(set), H5Pclose);
  std::vector<hsize_t> extents = extents_of(space);
  const Handle type = element_type(Handle(H5Dget_type(set), H5Tclose), extents);
  const auto real = real_type(type);
  constexpr std::size_t most_indices = 16;
  constexpr hsize_t largest = 1 << 30;
  if (!real || extents.size() < 4 || extents.size() > most_indices) return std::nullopt;
  if (std::ranges::any_of(extents, [](hsize_t extent) { return extent < 1 || extent > largest; })) return std::nullopt;
  Hdf5Field field{.path = path};
  struct Known {
    hid_t type;
    int bits;
    ByteOrder order;
  };
  const Known all[] = {{H5T_IEEE_F64LE, 64, ByteOrder::little},
                       {H5T_IEEE_F32LE, 32, ByteOrder::little},
                       {H5T_IEEE_F64BE, 64, ByteOrder::big},
                       {H5T_IEEE_F32BE, 32, ByteOrder::big}};
  bool known = false;
  for (const Known& number : all) {
    if (H5Tequal(*real, number.type) <= 0) continue;
    known = true;
    field.bits = number.bits;
    field.order = number.order;
  }
  if (!known) return std::nullopt;
  for (std::size_t mu = 0; mu < 4; ++mu) field.extents[mu] = static_cast<int>(extents[3 - mu]);
  field.inner.assign(extents.begin() + 4, extents.end());
  field.checksum = checksum_of(set);
  const std::string group = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
  const Handle above(H5Oopen(file, group.c_str(), H5P_DEFAULT), H5Oclose);
  for (const auto& [object, name] :
       {std::pair<hid_t, const char*>(above, "Annotation"), std::pair<hid_t, const char*>(set, "file_xml"),
        std::pair<hid_t, const char*>(set, "record_xml")}) {
    if (const std::string text = text_of(object, name); !text.empty()) field.texts.emplace_back(name, text);
  }
  if (H5Pget_layout(properties) == H5D_CONTIGUOUS && H5Pget_nfilters(properties) == 0 &&
      H5Pget_external_count(properties) == 0) {
    const haddr_t offset = H5Dget_offset(set);
    if (offset != HADDR_UNDEF) field.offset = offset;
  }
  // Memory for a field is provided only if the file can hold it; deflate compresses to a thousandth at best.
  const double most = static_cast<double>(input.size() - std::min(field.offset.value_or(0), input.size()));
  double bytes = field.bits / 4.0;
  for (const hsize_t extent : extents) bytes *= static_cast<double>(extent);
  require(bytes <= (H5Pget_nfilters(properties) > 0 ? 1100.0 : 1.0) * most, [&] {
    return fmt::format("{} is truncated or damaged: its data set {} should have {:.0f} bytes, but the file has {}",
                       input.path().string(), path, bytes, input.size());
  });
  return field;
}

herr_t add_path(hid_t, const char* name, const H5O_info_t* info, void* paths) {
  auto& found = *static_cast<std::vector<std::string>*>(paths);
  constexpr std::size_t most = 1 << 16;
  if (info->type == H5O_TYPE_DATASET && found.size() < most) found.push_back(fmt::format("/{}", name));
  return 0;
}

std::vector<std::string> paths_of_sets(hid_t file) {
  std::vector<std::string> paths;
#if H5_VERSION_GE(1, 12, 0)
  const auto add = [](hid_t group, const char* name, const H5O_info2_t* info, void* all) {
    H5O_info_t known{};
    known.type = info->type;
    return add_path(group, name, &known, all);
  };
  H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, add, &paths, H5O_INFO_BASIC);
#else
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, add_path, &paths, H5O_INFO_BASIC);
#endif
  return paths;
}

nlohmann::json to_json(const Hdf5Field& field) {
  nlohmann::json json{{"path", field.path},
                      {"extents", field.extents},
                      {"inner", field.inner},
                      {"bits", field.bits},
                      {"big", field.order == ByteOrder::big},
                      {"texts", field.texts}};
  if (field.offset) json["offset"] = *field.offset;
  if (field.checksum) json["sums"] = {field.checksum->first, field.checksum->second};
  return json;
}

Hdf5Field from_json(const nlohmann::json& json) {
  Hdf5Field field{.path = json.at("path"),
                  .extents = json.at("extents").get<Coordinates>(),
                  .inner = json.at("inner").get<std::vector<int>>(),
                  .bits = json.at("bits"),
                  .order = json.at("big") ? ByteOrder::big : ByteOrder::little};
  for (const auto& one : json.at("texts")) field.texts.emplace_back(one.at(0), one.at(1));
  if (json.contains("offset")) field.offset = json.at("offset").get<std::uint64_t>();
  if (json.contains("sums")) {
    field.checksum =
        Checksum{.kind = ChecksumKind::pyquda, .first = json.at("sums").at(0), .second = json.at("sums").at(1)};
  }
  return field;
}

/// The numbers of some sites as they are in the file, of a data set that is not contiguous.
class Chunks {
 public:
  Chunks(const InputFile& file, const Hdf5Field& field)
      : name_(fmt::format("{}, {}", file.path().string(), field.path)),
        file_(open_file(file)),
        set_(H5Dopen2(file_, field.path.c_str(), H5P_DEFAULT), H5Dclose),
        type_(H5Dget_type(set_), H5Tclose),
        space_(H5Dget_space(set_), H5Sclose),
        inner_(extents_of(space_)) {
    require(set_.valid() && type_.valid() && inner_.size() >= 4, [&] { return name_ + ": HDF5 cannot read it"; });
    inner_.erase(inner_.begin(), inner_.begin() + 4);
  }

  /// The sites of a box.
  void read(std::span<std::byte> to, const Coordinates& origin, const Coordinates& box) const {
    std::vector<hsize_t> start, count;
    for (std::size_t k = 0; k < 4; ++k) {
      start.push_back(static_cast<hsize_t>(origin[3 - k]));
      count.push_back(static_cast<hsize_t>(box[3 - k]));
    }
    start.resize(4 + inner_.size(), 0);
    count.insert(count.end(), inner_.begin(), inner_.end());
    const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    const bool fits = static_cast<std::size_t>(H5Sget_simple_extent_npoints(memory)) * H5Tget_size(type_) == to.size();
    require(fits && H5Sselect_hyperslab(space_, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) >= 0 &&
                H5Dread(set_, type_, memory, space_, H5P_DEFAULT, to.data()) >= 0,
            [&] { return fmt::format("{} is damaged, or compressed by a method that this HDF5 lacks", name_); });
  }

 private:
  std::string name_;
  Handle file_, set_, type_, space_;
  std::vector<hsize_t> inner_;
};

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

std::vector<Hdf5Field> hdf5_fields(const InputFile& file) {
  using nlohmann::json;
  const auto find = [&] {
    json all = json::array();
    const Handle opened = open_file(file);
    for (const std::string& path : paths_of_sets(opened)) {
      if (const auto field = field_of(file, opened, path)) all.push_back(to_json(*field));
    }
    return all.dump(-1, ' ', false, json::error_handler_t::replace);
  };
  std::string text;
  together(file.communicator(), [&] {
    if (file.communicator().rank() == 0) text = in_child(file.path(), find);
  });
  std::vector<Hdf5Field> fields;
  for (const json& one : json::parse(broadcast(file.communicator(), text))) fields.push_back(from_json(one));
  return fields;
}

Checksum read_hdf5_sites(std::span<std::complex<double>> values, const InputFile& file, const Hdf5Field& field,
                         const Part& part, const SiteNumbers& numbers) {
  constexpr ChecksumKind kind = ChecksumKind::pyquda;
  if (field.offset) return read_sites(values, file, *field.offset, part, numbers, kind);
  Checksum checksum{.kind = kind};
  together(file.communicator(), [&] {
    const Chunks chunks(file, field);
    Coordinates origin = part.origin, slice = part.local_extents;
    slice[3] = 1;
    const auto sites = static_cast<std::size_t>(volume_of(slice));
    std::vector<std::byte> bytes(sites * numbers.bytes());
    for (int t = 0; t < part.local_extents[3]; ++t, ++origin[3]) {
      chunks.read(bytes, origin, slice);
      std::size_t in_slice = 0;
      for_each_run(part.extents, origin, slice, sites, [&](const Run& run) {
        const auto of_run = std::span(bytes).subspan(in_slice * numbers.bytes(), run.count * numbers.bytes());
        checksum.add(run.first, of_run, numbers.bytes(), numbers.order);
        const std::size_t first = static_cast<std::size_t>(t) * sites + in_slice;
        decode_sites(values.subspan(first * numbers.stride), of_run, numbers);
        in_slice += run.count;
      });
    }
  });
  return combine(file.communicator(), checksum);
}

std::vector<std::uint64_t> make_hdf5(OutputFile& file, const Coordinates& extents, int bits,
                                     std::span<const NewHdf5Field> fields) {
  std::vector<std::uint64_t> offsets(fields.size());
  file.edit([&](const std::filesystem::path& path) {
    const Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_obj_track_times(properties, false);
    Handle made(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties, access()), H5Fclose);
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
    const Handle opened(H5Fopen(path.c_str(), H5F_ACC_RDWR, access()), H5Fclose);
    bool done = opened.valid();
    for (const Hdf5Attribute& attribute : attributes) done = done && add_attribute(opened, attribute);
    require_done(done && H5Fflush(opened, H5F_SCOPE_GLOBAL) >= 0, file.path());
  });
}

#else

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path) {
  throw Error(
      fmt::format("{}: this build of kaon has no HDF5: build it where HDF5 is found (KAON_HDF5)", path.string()));
}

}  // namespace

std::vector<Hdf5Field> hdf5_fields(const InputFile& file) { refuse(file.path()); }
Checksum read_hdf5_sites(std::span<std::complex<double>>, const InputFile& file, const Hdf5Field&, const Part&,
                         const SiteNumbers&) {
  refuse(file.path());
}
std::vector<std::uint64_t> make_hdf5(OutputFile& file, const Coordinates&, int, std::span<const NewHdf5Field>) {
  refuse(file.path());
}
void add_hdf5_attributes(OutputFile& file, std::span<const Hdf5Attribute>) { refuse(file.path()); }

#endif

}  // namespace kaon::io
