// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/state/arrays.hpp"
#include "quda/state/state.hpp"

#include <kaon/measure/correlator.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <numbers>
#include <span>
#include <vector>

// Contractions of a client's spinors over colour. Sums run on the host.

namespace kaon::quda {
namespace {

using Number = std::complex<double>;
constexpr std::size_t colors = 3;

/// sum_nu Gamma_{mu nu} psi_nu = value[mu] psi_{column[mu]} of a product of gamma matrices.
struct Monomial {
  std::array<std::size_t, 4> column{};
  std::array<Number, 4> value{};

  friend Monomial operator*(const Monomial& a, const Monomial& b) {
    Monomial product;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      product.column[mu] = b.column[a.column[mu]];
      product.value[mu] = a.value[mu] * b.value[a.column[mu]];
    }
    return product;
  }
  friend Monomial operator*(Number factor, Monomial a) {
    for (Number& value : a.value) value *= factor;
    return a;
  }
};

/// 1, gamma_1 .. gamma_4, gamma_5, gamma_5 gamma_1 .. gamma_5 gamma_4, and (i/2) [gamma_mu, gamma_nu] of 12, 13, 14,
/// 23, 24, 34 in the basis of DeGrand and Rossi.
std::array<Monomial, 16> insertions() {
  constexpr Number i{0.0, 1.0};
  const Monomial one{{0, 1, 2, 3}, {1.0, 1.0, 1.0, 1.0}};
  const std::array<Monomial, 4> gamma{Monomial{{3, 2, 1, 0}, {i, i, -i, -i}}, Monomial{{3, 2, 1, 0}, {-1, 1, 1, -1}},
                                      Monomial{{2, 3, 0, 1}, {i, -i, -i, i}}, Monomial{{2, 3, 0, 1}, {1, 1, 1, 1}}};
  const Monomial gamma5{{0, 1, 2, 3}, {1.0, 1.0, -1.0, -1.0}};
  std::array<Monomial, 16> all{one, gamma[0], gamma[1], gamma[2], gamma[3], gamma5};
  std::size_t count = 6;
  for (const Monomial& g : gamma) all[count++] = gamma5 * g;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (std::size_t nu = mu + 1; nu < 4; ++nu) all[count++] = i * (gamma[mu] * gamma[nu]);
  }
  return all;
}

/// Numbers of a client's spinor, [site][spin][colour] in lexicographic order.
std::vector<Number> numbers_of(const void* pointer, const Lattice& lattice, int spins, const SpinorDescription& given) {
  SpinorField<double> psi(lattice, {.spins = spins});
  read_spinor(psi, 0, pointer, given);
  return psi.to_host();
}

/// sum_c conj(x_{mu c}) y_{nu c} of a site.
Number product(const Number* x, const Number* y, std::size_t mu, std::size_t nu) {
  Number sum;
  for (std::size_t c = 0; c < colors; ++c) sum += std::conj(x[colors * mu + c]) * y[colors * nu + c];
  return sum;
}

Coordinates extents_of(const int* given) {
  require(given != nullptr, "the pointer to the local extents X is NULL");
  Coordinates extents{};
  std::copy_n(given, 4, extents.begin());
  return extents;
}

template <class Body>
void for_each_local_site(const Lattice& lattice, const Body& body) {
  const Coordinates &extents = lattice.local_extents(), origin = lattice.origin();
  const auto volume = static_cast<std::size_t>(lattice.local_volume());
  for (std::size_t site = 0; site < volume; ++site) {
    Coordinates x{};
    auto rest = static_cast<int>(site);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      x[mu] = origin[mu] + rest % extents[mu];
      rest /= extents[mu];
    }
    body(site, x);
  }
}

/// A client's spinors that are contracted, in the basis of DeGrand and Rossi.
SpinorDescription spinors_of(const QudaInvertParam& given, int spins) {
  return spins == 1 ? describe_plain_spinors(given) : describe_four_spins(given);
}

void sum_over_processes(const Lattice& lattice, std::vector<Number>& sums) {
  lattice.communicator().sum({reinterpret_cast<double*>(sums.data()), 2 * sums.size()});
}

/// On each site <x_mu, y_nu>, or sum_{mu nu} Gamma_{mu nu} <x_mu, y_nu> of the 16 insertions.
void contract(const void* h_x, const void* h_y, void* h_result, QudaContractType type, const QudaInvertParam& given,
              const Coordinates& local) {
  require(type == QUDA_CONTRACT_TYPE_OPEN || type == QUDA_CONTRACT_TYPE_DR || type == QUDA_CONTRACT_TYPE_STAGGERED,
          [&] {
            return fmt::format(
                "the type of contraction {} is not supported; supported: QUDA_CONTRACT_TYPE_OPEN, "
                "QUDA_CONTRACT_TYPE_DR and "
                "QUDA_CONTRACT_TYPE_STAGGERED",
                static_cast<long>(type));
          });
  require(h_result != nullptr, "the pointer to the result is NULL");
  const std::size_t spins = type == QUDA_CONTRACT_TYPE_STAGGERED ? 1 : 4;
  const Lattice& lattice = state().lattice(local, 1);
  const SpinorDescription spinors = spinors_of(given, static_cast<int>(spins));
  const std::vector<Number> x = numbers_of(h_x, lattice, static_cast<int>(spins), spinors);
  const std::vector<Number> y = numbers_of(h_y, lattice, static_cast<int>(spins), spinors);
  const std::array<Monomial, 16> gammas = insertions();
  const auto half = static_cast<std::size_t>(lattice.local_volume()) / 2;
  for_each_local_site(lattice, [&](std::size_t site, const Coordinates& at) {
    const Number *x_here = &x[site * spins * colors], *y_here = &y[site * spins * colors];
    const auto parity = static_cast<std::size_t>((at[0] + at[1] + at[2] + at[3]) % 2);
    const std::size_t first = (parity * half + site / 2) * spins * spins;
    for (std::size_t k = 0; k < spins * spins; ++k) {
      Number result;
      if (type == QUDA_CONTRACT_TYPE_DR) {
        for (std::size_t mu = 0; mu < 4; ++mu) {
          result += gammas[k].value[mu] * product(x_here, y_here, mu, gammas[k].column[mu]);
        }
      } else {
        result = product(x_here, y_here, k / spins, k % spins);
      }
      if (spinors.element == ArrayElement::complex128) {
        static_cast<Number*>(h_result)[first + k] = result;
      } else {
        static_cast<std::complex<float>*>(h_result)[first + k] = std::complex<float>(result);
      }
    }
  });
}

/// The order of insertions in `contractFTQuda`: vectors, axial vectors, 1, gamma5, tensors.
constexpr std::array<std::size_t, 16> summed_order{1, 2, 3, 4, 6, 7, 8, 9, 0, 5, 10, 11, 12, 13, 14, 15};

/// The momenta of a call.
struct Momenta {
  const int* source;
  int count;
  const int* modes;
  const QudaFFTSymmType* factors;

  /// exp(i a) of a = 2 pi sum_mu n_mu (x - source)_mu/L_mu
  Number phase(int k, const Coordinates& x, const Coordinates& extents) const {
    double angle = 0.0;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      angle +=
          2.0 * std::numbers::pi * modes[4 * static_cast<std::size_t>(k) + mu] * (x[mu] - source[mu]) / extents[mu];
    }
    return std::polar(1.0, angle);
  }
};

FourierFactor factor_of(QudaFFTSymmType given) {
  switch (given) {
    case QUDA_FFT_SYMM_EO:
      return FourierFactor::exponential;
    case QUDA_FFT_SYMM_EVEN:
      return FourierFactor::cosine;
    case QUDA_FFT_SYMM_ODD:
      return FourierFactor::sine;
    default:
      throw Error(fmt::format("fft_type = {} is none of QUDA_FFT_SYMM_ODD, QUDA_FFT_SYMM_EVEN and QUDA_FFT_SYMM_EO",
                              static_cast<long>(given)));
  }
}

/// Adds sum_{x in t} <x, y> times the factors of each momentum, of fields without spin.
void contract_staggered(void** first, void** second, Number* results, const QudaInvertParam& given, int sources,
                        const Coordinates& local, const Momenta& momenta) {
  const SpinorDescription spinors = describe_plain_spinors(given);
  SpinorField<double> x(state().lattice(local, 1), {.spins = 1}), y(x.lattice(), x.parameters());
  for (int k = 0; k < sources; ++k) {
    read_spinor(x, 0, first[k], spinors);
    read_spinor(y, 0, second[k], spinors);
    Number* sum = results;
    for (int p = 0; p < momenta.count; ++p) {
      MomentumParameters momentum;
      for (std::size_t mu = 0; mu < 4; ++mu) {
        const std::size_t place = 4 * static_cast<std::size_t>(p) + mu;
        momentum.mode[mu] = momenta.modes[place];
        const int extent = x.lattice().extents()[mu];  // after which the phases repeat
        momentum.source_site[mu] = (momenta.source[mu] % extent + extent) % extent;
        momentum.factors[mu] = factor_of(momenta.factors[place]);
      }
      for (const Number& of_slice : momentum_products(x, y, momentum)) *sum++ += of_slice;
    }
  }
}

void contract_summed(void** first, void** second, Number* results, QudaContractType type, const QudaInvertParam& given,
                     int source_colors, const Coordinates& local, const Momenta& momenta) {
  const bool along_z = type == QUDA_CONTRACT_TYPE_DR_FT_Z;
  require(along_z || type == QUDA_CONTRACT_TYPE_DR_FT_T, [&] {
    return fmt::format(
        "the type of contraction {} is not supported; supported: QUDA_CONTRACT_TYPE_STAGGERED_FT_T, "
        "QUDA_CONTRACT_TYPE_DR_FT_T and QUDA_CONTRACT_TYPE_DR_FT_Z",
        static_cast<long>(type));
  });
  constexpr std::size_t spins = 4, channels = spins * spins;
  const std::size_t direction = along_z ? 2 : 3;
  const auto sources = static_cast<std::size_t>(source_colors);
  const Lattice& lattice = state().lattice(local, 1);
  const SpinorDescription spinors = describe_four_spins(given);
  const auto slices = static_cast<std::size_t>(lattice.extents()[direction]);
  std::array<Monomial, 16> gammas = insertions(), behind;
  const Monomial gamma5 = gammas[5];
  for (std::size_t g = 0; g < 16; ++g) behind[g] = gamma5 * gammas[summed_order[g]];
  std::vector<std::vector<Number>> y;
  for (std::size_t k = 0; k < spins * sources; ++k) {
    y.push_back(numbers_of(second[k], lattice, spins, spinors));
  }
  std::vector<Number> sums(static_cast<std::size_t>(momenta.count) * slices * channels);
  for (std::size_t k = 0; k < spins * sources; ++k) {
    const std::vector<Number> x = numbers_of(first[k], lattice, spins, spinors);
    const std::size_t s1 = k / sources, color = k % sources;
    for_each_local_site(lattice, [&](std::size_t site, const Coordinates& at) {
      std::array<Number, 16> of_site{};
      for (std::size_t g = 0; g < channels; ++g) {
        const std::size_t b1 = behind[g].column[s1];
        const Number *x_here = &x[site * spins * colors], *y_here = &y[b1 * sources + color][site * spins * colors];
        for (std::size_t s2 = 0; s2 < 4; ++s2) {
          const std::size_t b2 = behind[g].column[s2];
          of_site[g] += behind[g].value[b2] * product(x_here, y_here, b2, s2) * behind[g].value[b1];
        }
      }
      for (int p = 0; p < momenta.count; ++p) {
        const Number phase = momenta.phase(p, at, lattice.extents());
        Number* sum =
            &sums[(static_cast<std::size_t>(p) * slices + static_cast<std::size_t>(at[direction])) * channels];
        for (std::size_t g = 0; g < channels; ++g) sum[g] += phase * of_site[g];
      }
    });
  }
  sum_over_processes(lattice, sums);
  for (std::size_t k = 0; k < sums.size(); ++k) results[k] += sums[k];
}

/// Refuses QUDA's own class ColorSpinorParam, which C++ programs pass: its first members are two enumerators, which
/// never have the value of this size.
const QudaInvertParam& parameters_at(const void* pointer) {
  require(pointer != nullptr, "cs_param_ptr is NULL");
  std::size_t size = 0;
  std::memcpy(&size, pointer, sizeof(size));
  require(size == sizeof(QudaInvertParam),
          "cs_param_ptr leads to no QudaInvertParam: QUDA's class ColorSpinorParam is not supported, pass "
          "newQudaInvertParam() with dslash_type, cpu_prec, dirac_order and gamma_basis");
  return *static_cast<const QudaInvertParam*>(pointer);
}

/// sum_{x in t} sum_c conj(v_c(x)) q_{s c}(x) of quarks q and fields without spin v.
void project(Number* sinks, std::span<void* const> quarks, std::span<void* const> vectors, const QudaInvertParam& given,
             const Coordinates& local) {
  const Lattice& lattice = state().lattice(local, 1);
  const SpinorDescription spinors = describe_plain_spinors(given);
  const auto times = static_cast<std::size_t>(lattice.extents()[3]);
  std::vector<Number> sums(quarks.size() * vectors.size() * times * 4);
  std::vector<std::vector<Number>> q;
  for (const void* quark : quarks) q.push_back(numbers_of(quark, lattice, 4, spinors));
  for (std::size_t j = 0; j < vectors.size(); ++j) {
    const std::vector<Number> v = numbers_of(vectors[j], lattice, 1, spinors);
    for (std::size_t i = 0; i < quarks.size(); ++i) {
      Number* sum = &sums[(i * vectors.size() + j) * times * 4];
      for_each_local_site(lattice, [&](std::size_t site, const Coordinates& x) {
        for (std::size_t s = 0; s < 4; ++s) {
          sum[static_cast<std::size_t>(x[3]) * 4 + s] += product(&v[site * colors], &q[i][site * 4 * colors], 0, s);
        }
      });
    }
  }
  sum_over_processes(lattice, sums);
  std::copy(sums.begin(), sums.end(), sinks);
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void contractQuda(const void* x, const void* y, void* result, const QudaContractType cType, QudaInvertParam* param,
                  const int* X) {
  call(__func__, param, [&](const QudaInvertParam& given) { contract(x, y, result, cType, given, extents_of(X)); });
}

void contractFTQuda(void** x, void** y, void** result, const QudaContractType cType, void* cs_param_ptr,
                    const int src_colors, const int* X, const int* const source_position, const int n_mom,
                    const int* const mom_modes, const QudaFFTSymmType* const fft_type) {
  call(__func__, [&] {
    require(x != nullptr && y != nullptr && result != nullptr && *result != nullptr,
            "a pointer to propagators or results is NULL");
    require(src_colors > 0 && n_mom >= 0 && source_position != nullptr && mom_modes != nullptr &&
                (fft_type != nullptr || cType != QUDA_CONTRACT_TYPE_STAGGERED_FT_T),
            "contractions need src_colors, source_position, n_mom, mom_modes and fft_type");
    const QudaInvertParam& given = parameters_at(cs_param_ptr);
    auto* const sums = static_cast<std::complex<double>*>(*result);
    const Momenta momenta{source_position, n_mom, mom_modes, fft_type};
    if (cType == QUDA_CONTRACT_TYPE_STAGGERED_FT_T) {
      contract_staggered(x, y, sums, given, src_colors, extents_of(X), momenta);
    } else {
      contract_summed(x, y, sums, cType, given, src_colors, extents_of(X), momenta);
    }
  });
}

void laphSinkProject(double _Complex* host_sinks, void** host_quark, int n_quark, int, void** host_evec, int nevec, int,
                     QudaInvertParam* inv_param, const int X[4]) {
  call(__func__, inv_param, [&](const QudaInvertParam& given) {
    require(host_sinks != nullptr && host_quark != nullptr && host_evec != nullptr && n_quark > 0 && nevec > 0,
            "a pointer to quarks, vectors or results is NULL, or there are none");
    project(reinterpret_cast<std::complex<double>*>(host_sinks), {host_quark, static_cast<std::size_t>(n_quark)},
            {host_evec, static_cast<std::size_t>(nevec)}, given, extents_of(X));
  });
}
}
