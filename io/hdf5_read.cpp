// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/child_process.hpp"
#include "io/collective.hpp"
#include "io/hdf5_field.hpp"
#include "io/hdf5_library.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::io {

#ifdef KAON_HAS_HDF5
namespace {

using hdf5::Handle;

/// The numbers of some sites as they are in the file, of a data set that is not contiguous. For a child process.
class Chunks {
 public:
  Chunks(const InputFile& file, const Hdf5Field& field)
      : name_(fmt::format("{}, {}", file.path().string(), field.path)),
        file_(hdf5::open_file(file)),
        set_(H5Dopen2(file_, field.path.c_str(), H5P_DEFAULT), H5Dclose),
        type_(H5Dget_type(set_), H5Tclose),
        space_(H5Dget_space(set_), H5Sclose),
        inner_(hdf5::extents_of(space_)) {
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

}  // namespace

Checksum read_hdf5_sites(std::span<std::complex<double>> values, const InputFile& file, const Hdf5Field& field,
                         const Part& part, const SiteNumbers& numbers) {
  constexpr ChecksumKind kind = ChecksumKind::pyquda;
  if (field.offset) return read_sites(values, file, *field.offset, part, numbers, kind);
  Checksum checksum{.kind = kind};
  together(file.communicator(), [&] {
    Coordinates origin = part.origin, slice = part.local_extents;
    slice[3] = 1;
    const auto sites = static_cast<std::size_t>(volume_of(slice));
    std::vector<std::byte> bytes(sites * numbers.bytes());
    // A machine that reads slower than this many bytes a second stopped long before.
    constexpr double slowest = 1e7, start = 2.0;
    const double seconds = start + static_cast<double>(bytes.size()) * part.local_extents[3] / slowest;
    ChildProcess child(file.path(), hdf5::library_name(), seconds, [&](const ChildProcess::Send& send) {
      const Chunks chunks(file, field);
      Coordinates place = origin;
      for (int t = 0; t < part.local_extents[3]; ++t, ++place[3]) {
        chunks.read(bytes, place, slice);
        send(bytes);
      }
    });
    for (int t = 0; t < part.local_extents[3]; ++t, ++origin[3]) {
      child.receive(bytes);
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

#else

Checksum read_hdf5_sites(std::span<std::complex<double>>, const InputFile& file, const Hdf5Field&, const Part&,
                         const SiteNumbers&) {
  hdf5::refuse(file.path());
}

#endif

}  // namespace kaon::io
