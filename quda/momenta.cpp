// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/momenta.hpp"
#include "quda/describe.hpp"
#include "quda/parameters.hpp"
#include "quda/resident_links.hpp"

#include <kaon/core/array_view.hpp>

#include <complex>
#include <vector>

namespace kaon::quda {
namespace {

using Matrices = std::vector<std::complex<double>>;  // [site][mu][row][column], even sites first

constexpr std::size_t rows[] = {0, 0, 1}, columns[] = {1, 2, 2};

template <class T>
void unpack(std::complex<double>* p, const T* packed) {
  for (std::size_t k = 0; k < 3; ++k) {
    const std::complex<double> element(packed[2 * k], packed[2 * k + 1]);
    p[3 * rows[k] + columns[k]] = element;
    p[3 * columns[k] + rows[k]] = -std::conj(element);
    p[4 * k] = {0.0, static_cast<double>(packed[6 + k])};
  }
}

template <class T>
void pack(T* packed, const std::complex<double>* p) {
  for (std::size_t k = 0; k < 3; ++k) {
    const std::complex<double>& element = p[3 * rows[k] + columns[k]];
    packed[2 * k] = static_cast<T>(element.real());
    packed[2 * k + 1] = static_cast<T>(element.imag());
    packed[6 + k] = static_cast<T>(p[4 * k].imag());
  }
}

/// Calls body(matrix, packed) for each link.
template <class T, class Matrix, class Body>
void for_each_link(Matrix* matrices, const void* pointer, const QudaGaugeParam& given, std::size_t sites,
                   const Body& body) {
  const bool in_sites = given.gauge_order == QUDA_MILC_SITE_GAUGE_ORDER;
  for (std::size_t site = 0; site < sites; ++site) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const T* packed = nullptr;
      if (given.gauge_order == QUDA_QDP_GAUGE_ORDER) {
        packed = static_cast<const T* const*>(pointer)[mu] + 10 * site;
      } else {
        const std::size_t bytes = in_sites ? static_cast<std::size_t>(given.site_size) : 40 * sizeof(T);
        const char* const first =
            static_cast<const char*>(pointer) + (in_sites ? static_cast<std::size_t>(given.mom_offset) : 0);
        packed = reinterpret_cast<const T*>(first + site * bytes) + 10 * mu;
      }
      body(matrices + 9 * (4 * site + mu), packed);
    }
  }
}

template <class Body>
void with_elements(const QudaGaugeParam& given, const Body& body) {
  const GaugeDescription description = describe_thin(given);
  require(description.memory == ArrayMemory::host,
          "momenta must be in host memory: pass location = "
          "QUDA_CPU_FIELD_LOCATION");
  description.element == ArrayElement::complex128 ? body.template operator()<double>()
                                                  : body.template operator()<float>();
}

ArrayView view_of(Matrices& matrices) {
  return {.data = matrices.data(),
          .element = ArrayElement::complex128,
          .sites = SiteOrder::even_odd,
          .inside = InsideOrder::row_column,
          .memory = ArrayMemory::host};
}

}  // namespace

GaugeField<double> read_momenta(const QudaGaugeParam& given, const void* pointer) {
  require(pointer != nullptr, "the pointer to momenta is NULL");
  GaugeField<double> momenta(lattice_of(describe_thin(given)));
  const auto sites = static_cast<std::size_t>(momenta.lattice().local_volume());
  Matrices matrices(36 * sites);
  with_elements(given, [&]<class T>() {
    for_each_link<T>(matrices.data(), pointer, given, sites, [](auto* p, const T* packed) { unpack(p, packed); });
  });
  copy_in(momenta, view_of(matrices));
  return momenta;
}

GaugeField<double> momenta_to_change(const QudaGaugeParam& given, const void* pointer) {
  if (given.overwrite_mom != 0) return GaugeField<double>(lattice_of(describe_thin(given)));
  return given.use_resident_mom != 0 ? state().momenta().clone() : read_momenta(given, pointer);
}

void write_momenta(const QudaGaugeParam& given, void* pointer, const GaugeField<double>& momenta) {
  require(pointer != nullptr, "the pointer to momenta is NULL");
  require(momenta.lattice() == lattice_of(describe_thin(given)), "X is not that of the resident momenta");
  const auto sites = static_cast<std::size_t>(momenta.lattice().local_volume());
  Matrices matrices(36 * sites);
  copy_out(view_of(matrices), momenta);
  with_elements(given, [&]<class T>() {
    for_each_link<T>(matrices.data(), pointer, given, sites,
                     [](const auto* p, const T* packed) { pack(const_cast<T*>(packed), p); });
  });
}

}  // namespace kaon::quda
