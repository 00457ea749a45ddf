// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <stdexcept>

#include "stored_fields.hpp"

#ifdef KAON_REFERENCE_HAS_HDF5
#include <hdf5.h>
#endif

namespace kaon::reference {

#ifdef KAON_REFERENCE_HAS_HDF5

bool has_hdf5() { return true; }

Propagator read_hdf5_propagator(const std::filesystem::path& path, const std::string& data_set,
                                const Coordinates& extents) {
  const std::size_t sites = static_cast<std::size_t>(volume_of(extents));
  std::vector<Complex> numbers(sites * site_components * site_components);

  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(file, data_set.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(set);
  const hid_t complex_number = H5Tcreate(H5T_COMPOUND, sizeof(Complex));
  H5Tinsert(complex_number, "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(complex_number, "i", sizeof(double), H5T_NATIVE_DOUBLE);
  const std::array<hsize_t, 2> color_shape{colors, colors};
  const std::array<hsize_t, 2> spin_shape{spins, spins};
  const hid_t color_matrix = H5Tarray_create2(complex_number, 2, color_shape.data());
  const hid_t element = H5Tarray_create2(color_matrix, 2, spin_shape.data());
  const bool fits = file >= 0 && set >= 0 && H5Sget_simple_extent_npoints(space) == static_cast<hssize_t>(sites);
  const bool good = fits && H5Dread(set, element, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0;
  for (const hid_t type : {element, color_matrix, complex_number}) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  if (set >= 0) H5Dclose(set);
  if (file >= 0) H5Fclose(file);
  if (!good) throw std::runtime_error(path.string() + ": no complex propagator of this size in " + data_set);

  Propagator propagator(site_components, zero_spinor(extents));
  auto number = numbers.cbegin();
  for (std::size_t site = 0; site < sites; ++site)
    for (std::size_t sink_spin = 0; sink_spin < spins; ++sink_spin)
      for (std::size_t spin = 0; spin < spins; ++spin)
        for (std::size_t sink_color = 0; sink_color < colors; ++sink_color)
          for (std::size_t color = 0; color < colors; ++color)
            propagator[colors * spin + color][site_components * site + colors * sink_spin + sink_color] = *number++;
  return propagator;
}

#else

bool has_hdf5() { return false; }

Propagator read_hdf5_propagator(const std::filesystem::path&, const std::string&, const Coordinates&) {
  throw std::runtime_error("built without HDF5");
}

#endif

}  // namespace kaon::reference
