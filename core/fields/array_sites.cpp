// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/array_sites.hpp"
#include "core/base/host_zeros.hpp"
#include "core/fields/staging.hpp"

#include "core/device/allocate.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace kaon::detail {
namespace {

/// Whether kernels can read and write a caller's memory if it is; else it is the host's, on a build for devices.
/// Throws `Error` if it is not the memory that the caller calls it, and for that of another device.
bool kernels_reach([[maybe_unused]] const void* pointer, ArrayMemory memory) {
#if defined(KOKKOS_ENABLE_CUDA)
  cudaPointerAttributes attributes{};
  const bool known = cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess;
  if (!known) cudaGetLastError();  // a pointer that the driver does not know is no error
  const bool managed = known && attributes.type == cudaMemoryTypeManaged;
  const bool of_device = known && attributes.type == cudaMemoryTypeDevice;
  require(memory != ArrayMemory::device || of_device || managed,
          "an array is said to lie on the device, but its address is the host's: describe it as memory of the host");
  require(memory != ArrayMemory::host || !of_device,
          "an array is said to lie on the host, but its address is a device's: describe it as memory of the device");
  if (of_device) {
    int current = 0;
    cudaGetDevice(&current);
    require(attributes.device == current, [&] {
      return fmt::format("an array lies on device {}, but this process works on device {}: copy it there",
                         attributes.device, current);
    });
  }
  return of_device || managed;
#else
  require(memory != ArrayMemory::device,
          "an array is said to lie on a device, but this kaon was built for hosts: pass host memory");
  return true;
#endif
}

std::ptrdiff_t number_bytes(const ArrayView& array) {
  return array.element == ArrayElement::complex128 ? sizeof(double) : sizeof(float);
}

/// Throws `Error` for addresses and distances that numbers cannot have.
void require_array(const ArrayView& array, std::span<void* const> parts, std::ptrdiff_t site_size, int sites) {
  const std::ptrdiff_t number = number_bytes(array);
  for (const void* part : parts) {
    require(part != nullptr,
            parts.size() == 4 ? "an array of links has a null pointer for a direction" : "an array is a null pointer");
    require(reinterpret_cast<std::uintptr_t>(part) % static_cast<std::uintptr_t>(number) == 0, [&] {
      return fmt::format("an array of numbers of {} bytes begins at address {}, which is no multiple of {}", number,
                         part, number);
    });
  }
  require(array.site_bytes == 0 || array.site_bytes >= site_size, [&] {
    return fmt::format("an array has {} bytes from a site to the next, but a site of this field takes {}",
                       array.site_bytes, site_size);
  });
  require(array.site_bytes <= std::numeric_limits<std::ptrdiff_t>::max() / sites, [&] {
    return fmt::format("an array has {} bytes from a site to the next, and {} sites: no memory has as many",
                       array.site_bytes, sites);
  });
  require(array.site_bytes % number == 0, [&] {
    return fmt::format("an array has {} bytes from a site to the next, no multiple of the {} of its numbers",
                       array.site_bytes, number);
  });
}

using HostBytes = Kokkos::View<char*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace

ArraySites ArraySites::of(const Lattice& lattice, SiteOrder order, Subset subset) {
  SiteMap map = SiteMap::of<double>(lattice);
  map.pair = 0;
  for (int mu = 0; mu < 4; ++mu) {
    map.grid[mu] = 1;
    map.inner[mu] = map.extent[mu];
    if (mu == map.pair && map.inner[mu] == 1) ++map.pair;
  }
  map.by_x = Divisor(map.inner[0]);
  map.by_y = Divisor(map.inner[1]);
  map.by_z = Divisor(map.inner[2]);
  const int volume = static_cast<int>(lattice.local_volume());
  map.sites = volume / map.parities;
  if (order == SiteOrder::lexicographic) return {map, order, volume, 0, volume};
  const bool one = subset != Subset::full || map.parities == 1;
  const int first = subset == Subset::full ? (order == SiteOrder::odd_even && !one ? 1 : 0) : static_cast<int>(subset);
  return {map, order, volume, first, one ? map.sites : volume};
}

namespace {

/// Planes: all of them together where kernels do not reach them, since a site's numbers lie apart.
void for_planes(const Lattice& lattice, const ArrayView& array, std::span<void* const> parts, const ArrayShape& shape,
                CopyWay way, const PieceWork& work) {
  require(array.site_bytes == 0, "an array of planes cannot have site_bytes: its sites lie one behind the other");
  const std::ptrdiff_t number = number_bytes(array), sites = lattice.local_volume();
  const auto bytes = static_cast<std::size_t>(shape.reals * sites * number);
  ArrayNumbers numbers{.parts = {},
                       .site_bytes = number,
                       .wide = array.element == ArrayElement::complex128,
                       .complex_step = sites,
                       .imaginary_step = shape.reals / 2 * sites};
  std::vector<Kokkos::View<char*, Memory>> copies(parts.size());
  for (std::size_t part = 0; part < parts.size(); ++part) {
    char* begin = static_cast<char*>(parts[part]);
    if (!kernels_reach(parts[part], array.memory)) {
      copies[part] = allocate<char>("kaon::array_planes", bytes);
      Kokkos::deep_copy(lattice.execution(), copies[part], HostBytes(begin, bytes));
      begin = copies[part].data();
    }
    numbers.parts[part] = begin + shape.first * number;
  }
  work(numbers, 0, shape.sites);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (way == CopyWay::in || copies[part].size() == 0) continue;
    Kokkos::deep_copy(lattice.execution(), HostBytes(static_cast<char*>(parts[part]), bytes), copies[part]);
  }
  lattice.execution().fence("kaon::copy_array");
}

}  // namespace

void for_each_piece(const Lattice& lattice, const ArrayView& array, const ArrayShape& shape, CopyWay way,
                    const PieceWork& work) {
  const bool wide = array.element == ArrayElement::complex128;
  const std::ptrdiff_t site_size = shape.reals * number_bytes(array);
  const std::vector<void*> parts =
      shape.by_direction ? std::vector<void*>(array.parts.begin(), array.parts.end()) : std::vector<void*>{array.data};
  require_array(array, parts, site_size, shape.sites);
  if (array.planes) return for_planes(lattice, array, parts, shape, way, work);
  const std::ptrdiff_t site_bytes = array.site_bytes == 0 ? site_size : array.site_bytes;
  bool reach = true;
  for (const void* part : parts) reach = kernels_reach(part, array.memory) && reach;

  if (reach) {
    ArrayNumbers numbers{{}, site_bytes, wide};
    for (std::size_t part = 0; part < parts.size(); ++part) numbers.parts[part] = static_cast<char*>(parts[part]);
    work(numbers, 0, shape.sites);
    lattice.execution().fence("kaon::copy_array");
    return;
  }
  std::vector<char*> host;
  for (void* const part : parts) host.push_back(static_cast<char*>(part));
  for_staged_pieces(lattice, {host, site_size, site_bytes, shape.sites, wide}, way, work);
}

bool in_second_order(InsideOrder given, InsideOrder first, InsideOrder second, const char* field) {
  require(given == InsideOrder::standard || given == first || given == second, [&] {
    constexpr const char* names[] = {"standard",   "spin_color",  "color_spin",    "row_column",
                                     "column_row", "full_clover", "packed_clover", "anti_hermitian"};
    return fmt::format("an array of {} cannot have the order {} within a site: name {} or {}", field,
                       names[static_cast<int>(given)], names[static_cast<int>(first)], names[static_cast<int>(second)]);
  });
  return given == second;
}

ConstArrayView host_values(const Lattice& lattice, std::span<const std::complex<double>> values, int per_site) {
  const std::size_t expected = static_cast<std::size_t>(lattice.local_volume()) * static_cast<std::size_t>(per_site);
  require(values.size() == expected, [&] {
    return fmt::format("a field on lattice {} takes {} complex values ({} a site), but {} were given",
                       to_string(lattice.extents()), expected, per_site, values.size());
  });
  return {.data = values.data(), .memory = ArrayMemory::host};
}

std::vector<std::complex<double>> room_for_values(const Lattice& lattice, int per_site) {
  return host_zeros(static_cast<std::size_t>(lattice.local_volume()) * static_cast<std::size_t>(per_site));
}

}  // namespace kaon::detail
