// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/support/error_text.hpp"

#include <kaon/core/array_view.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Number = std::complex<double>;
using Values = std::vector<Number>;

std::vector<Lattice> lattices() {
  std::vector<Lattice> all;
  for (const Coordinates& extents : {Coordinates{4, 4, 4, 4}, Coordinates{4, 6, 2, 8}, Coordinates{8, 4, 4, 8}}) {
    for (const Lanes lanes : {Lanes::native, Lanes::single})
      all.emplace_back(LatticeParameters{.extents = extents, .lanes = lanes});
  }
  return all;
}

/// Numbers that single precision holds exactly, each of them once.
Values numbered(std::size_t count) {
  Values values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = {static_cast<double>(k + 1), -0.5 * static_cast<double>(k)};
  return values;
}

/// The site of an array at local coordinates x, from the definition of the order; -1 if the array does not contain it.
std::ptrdiff_t site_in_array(const Coordinates& x, const Lattice& lattice, SiteOrder order, Subset subset) {
  const Coordinates& extents = lattice.local_extents();
  const std::ptrdiff_t lexicographic = lexicographic_index(x, extents);
  if (order == SiteOrder::lexicographic) return lexicographic;
  const int parity = (x[0] + x[1] + x[2] + x[3]) % 2;
  if (subset != Subset::full) return static_cast<int>(subset) == parity ? lexicographic / 2 : -1;
  const int block = order == SiteOrder::even_odd ? parity : 1 - parity;
  return block * (lattice.local_volume() / 2) + lexicographic / 2;
}

constexpr char untouched = 0x5a;

/// A caller's memory: `per_site` numbers of each site in one part, every site followed by `gap` bytes.
struct CallerMemory {
  std::vector<std::vector<double>> storage;  // aligned bytes
  ArrayElement element;
  std::ptrdiff_t site_bytes;

  CallerMemory(std::ptrdiff_t sites, int parts, int per_site, ArrayElement of, int gap) : element(of) {
    site_bytes = 2 * per_site * (of == ArrayElement::complex128 ? 8 : 4) + gap;
    storage.assign(static_cast<std::size_t>(parts),
                   std::vector<double>(static_cast<std::size_t>(sites * site_bytes / 8 + 1)));
    for (auto& part : storage) std::memset(part.data(), untouched, part.size() * sizeof(double));
  }
  char* at(std::size_t part, std::ptrdiff_t site, int number) {
    const int size = element == ArrayElement::complex128 ? 16 : 8;
    return reinterpret_cast<char*>(storage[part].data()) + site * site_bytes + number * size;
  }
  void set(std::size_t part, std::ptrdiff_t site, int number, const Number& value) {
    const std::complex<float> narrow(value);
    if (element == ArrayElement::complex128) {
      std::memcpy(at(part, site, number), &value, sizeof(value));
    } else {
      std::memcpy(at(part, site, number), &narrow, sizeof(narrow));
    }
  }
};

struct Order {
  SiteOrder sites;
  bool second;  // colour-spin, column-row or packed
  ArrayElement element;
  int gap;

  std::string text() const {
    return "sites " + std::to_string(static_cast<int>(sites)) + (second ? ", second" : ", first") + " order, " +
           (element == ArrayElement::complex128 ? "complex128" : "complex64") + ", gap " + std::to_string(gap);
  }
};

std::vector<Order> orders() {
  std::vector<Order> all;
  for (const SiteOrder sites : {SiteOrder::lexicographic, SiteOrder::even_odd, SiteOrder::odd_even}) {
    for (const bool second : {false, true}) {
      for (const ArrayElement element : {ArrayElement::complex128, ArrayElement::complex64}) {
        for (const int gap : {0, 24}) all.push_back({sites, second, element, gap});
      }
    }
  }
  return all;
}

/// How a field lies in an array: `per_site` complex numbers in each of `parts` arrays. `fill` sets the numbers of the
/// site with lexicographic number n.
struct Layout {
  int parts, per_site;
  InsideOrder inside;
  std::function<void(CallerMemory&, std::ptrdiff_t site, std::ptrdiff_t n)> fill;
  Subset subset = Subset::full;
};

CallerMemory memory_of(const Lattice& lattice, const Order& order, const Layout& layout, bool filled = true) {
  const bool half_of_sites = layout.subset != Subset::full && order.sites != SiteOrder::lexicographic;
  CallerMemory memory(lattice.local_volume() / (half_of_sites ? 2 : 1), layout.parts, layout.per_site, order.element,
                      order.gap);
  for (std::ptrdiff_t n = 0; filled && n < lattice.local_volume(); ++n) {
    const Coordinates x = lexicographic_site(n, lattice.local_extents());
    const std::ptrdiff_t site = site_in_array(x, lattice, order.sites, layout.subset);
    if (site >= 0) layout.fill(memory, site, n);
  }
  return memory;
}

ArrayView view_of(CallerMemory& memory, const Order& order, const Layout& layout) {
  ArrayView view{.element = order.element,
                 .sites = order.sites,
                 .inside = layout.inside,
                 .site_bytes = order.gap == 0 ? 0 : memory.site_bytes};
  if (memory.storage.size() == 1) {
    view.data = memory.storage[0].data();
  } else {
    for (std::size_t mu = 0; mu < 4; ++mu) view.parts[mu] = memory.storage[mu].data();
  }
  return view;
}

/// Whether `out(view)` writes an array of this layout, and nothing between its sites.
template <class Out>
void expect_written(const Lattice& lattice, const Order& order, const Layout& layout, const Out& out) {
  const CallerMemory expected = memory_of(lattice, order, layout);
  CallerMemory returned = memory_of(lattice, order, layout, false);
  out(view_of(returned, order, layout));
  for (std::size_t part = 0; part < returned.storage.size(); ++part) {
    const std::size_t bytes = expected.storage[part].size() * sizeof(double);
    ASSERT_EQ(std::memcmp(returned.storage[part].data(), expected.storage[part].data(), bytes), 0);
  }
}

Layout spinor_layout(const SpinorParameters& shape, const Values& values, const Order& order) {
  const auto fill = [&, second = order.second](CallerMemory& memory, std::ptrdiff_t site, std::ptrdiff_t n) {
    for (int spin = 0; spin < shape.spins; ++spin) {
      for (int color = 0; color < shape.colors; ++color) {
        const int number = second ? shape.spins * color + spin : shape.colors * spin + color;
        const std::ptrdiff_t k = n * shape.components() + shape.colors * spin + color;
        memory.set(0, site, number, values[static_cast<std::size_t>(k)]);
      }
    }
  };
  return {1, shape.components(), order.second ? InsideOrder::color_spin : InsideOrder::spin_color, fill, shape.subset};
}

template <class T>
void check_spinors(const SpinorParameters& shape) {
  for (const Lattice& lattice : lattices()) {
    const Values values = numbered(static_cast<std::size_t>(lattice.volume() * shape.components()));
    SpinorField<T> expected(lattice, shape);
    expected.from_host(values, 1);
    const Values stored = expected.to_host(1);
    for (const Order& order : orders()) {
      SCOPED_TRACE(order.text());
      const Layout layout = spinor_layout(shape, values, order);
      CallerMemory given = memory_of(lattice, order, layout);
      SpinorField<T> field(lattice, shape);
      copy_in(field, view_of(given, order, layout), 1);
      ASSERT_EQ(field.to_host(1), stored);
      ASSERT_EQ(field.to_host(0), Values(values.size()));
      expect_written(lattice, order, spinor_layout(shape, stored, order),
                     [&](const ArrayView& view) { copy_out(view, field, 1); });
    }
  }
}

TEST(ArrayView, HoldsSpinorsInEveryOrder) {
  check_spinors<double>({.right_hand_sides = 2});
  check_spinors<float>({.right_hand_sides = 2});
  check_spinors<half>({.right_hand_sides = 2});
  check_spinors<double>({.spins = 1, .right_hand_sides = 2});
  check_spinors<half>({.spins = 2, .colors = 12, .right_hand_sides = 2});
}

TEST(ArrayView, OfOneParityHoldsThatParity) {
  check_spinors<double>({.subset = Subset::even, .right_hand_sides = 2});
  check_spinors<float>({.subset = Subset::odd, .right_hand_sides = 2});
}

/// Matrices of links, [n][mu][row][column], of which `set(u, put)` puts the numbers of an array by put(k, number).
template <class Set>
Layout matrix_layout(const Values& values, int numbers, InsideOrder inside, bool by_direction, const Set& set) {
  const auto fill = [&values, numbers, by_direction, set](CallerMemory& memory, std::ptrdiff_t site, std::ptrdiff_t n) {
    for (int mu = 0; mu < 4; ++mu) {
      set(&values[static_cast<std::size_t>(36 * n + 9 * mu)], [&](int k, const Number& number) {
        memory.set(by_direction ? static_cast<std::size_t>(mu) : 0, site, (by_direction ? 0 : numbers * mu) + k,
                   number);
      });
    }
  };
  return {by_direction ? 4 : 1, by_direction ? numbers : 4 * numbers, inside, fill};
}

Layout link_layout(const Values& values, const Order& order, bool by_direction) {
  const InsideOrder inside = order.second ? InsideOrder::column_row : InsideOrder::row_column;
  return matrix_layout(values, 9, inside, by_direction, [second = order.second](const Number* u, const auto& put) {
    for (int k = 0; k < 9; ++k) put(second ? k % 3 * 3 + k / 3 : k, u[k]);
  });
}

/// P_01, P_02, P_12, the imaginary parts of the diagonal, and `last`.
Layout momentum_layout(const Values& values, bool by_direction, double last) {
  return matrix_layout(values, 5, InsideOrder::anti_hermitian, by_direction, [last](const Number* p, const auto& put) {
    const Number packed[] = {p[1], p[2], p[5], {p[0].imag(), p[4].imag()}, {p[8].imag(), last}};
    for (int k = 0; k < 5; ++k) put(k, packed[k]);
  });
}

/// Whether links are read from arrays and written again.
template <class T, class Given, class Written>
void check_links(const Lattice& lattice, const Values& values, const Given& given, const Written& written) {
  for (const Order& order : orders()) {
    for (const bool by_direction : {false, true}) {
      SCOPED_TRACE(order.text());
      const Layout layout = given(order, by_direction);
      CallerMemory memory = memory_of(lattice, order, layout);
      GaugeField<T> links(lattice);
      copy_in(links, view_of(memory, order, layout));
      ASSERT_EQ(links.to_host(), values);
      expect_written(lattice, order, written(order, by_direction),
                     [&](const ArrayView& view) { copy_out(view, links); });
    }
  }
}

TEST(ArrayView, HoldsLinksInEveryOrder) {
  for (const Lattice& lattice : lattices()) {
    const Values values = numbered(static_cast<std::size_t>(36 * lattice.volume()));
    const auto layout = [&](const Order& order, bool by_direction) { return link_layout(values, order, by_direction); };
    check_links<double>(lattice, values, layout, layout);
    check_links<float>(lattice, values, layout, layout);
  }
}

/// Anti-Hermitian matrices.
Values momenta(std::size_t links) {
  Values values(9 * links);
  for (std::size_t link = 0; link < links; ++link) {
    Number* const p = &values[9 * link];
    const auto number = [&](int k) { return 0.5 * static_cast<double>(10 * link) - static_cast<double>(k * k); };
    p[1] = {number(0), number(1)};
    p[2] = {number(2), number(3)};
    p[5] = {number(4), number(5)};
    p[3] = -std::conj(p[1]);
    p[6] = -std::conj(p[2]);
    p[7] = -std::conj(p[5]);
    for (int k = 0; k < 3; ++k) p[4 * k] = {0.0, number(6 + k)};
  }
  return values;
}

TEST(ArrayView, HoldsMomentaInTenReals) {
  for (const Lattice& lattice : lattices()) {
    const Values values = momenta(static_cast<std::size_t>(4 * lattice.volume()));
    const auto with_last = [&](double last) {
      return [&values, last](const Order&, bool by_direction) { return momentum_layout(values, by_direction, last); };
    };
    check_links<double>(lattice, values, with_last(7.0), with_last(0.0));
  }
}

/// Diagonal links of SU(3), which every storage returns to rounding.
Values special_unitary(std::ptrdiff_t sites) {
  Values values(static_cast<std::size_t>(36 * sites));
  for (std::size_t link = 0; link < values.size() / 9; ++link) {
    const double angle = 0.01 * static_cast<double>(link % 300);
    values[9 * link] = std::polar(1.0, angle);
    values[9 * link + 4] = std::polar(1.0, angle);
    values[9 * link + 8] = std::polar(1.0, -2.0 * angle);
  }
  return values;
}

TEST(ArrayView, CompressesAndRestoresLinks) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const Order order{SiteOrder::even_odd, true, ArrayElement::complex128, 0};
  const Values values = special_unitary(lattice.volume());
  const Layout layout = link_layout(values, order, true);
  CallerMemory given = memory_of(lattice, order, layout);
  GaugeField<double> full(lattice);
  full.from_host(values);
  for (const LinkStorage storage : {LinkStorage::two_rows, LinkStorage::minimal}) {
    const GaugeField<double> expected(full, storage);
    GaugeField<double> links(expected.clone());
    copy_in(links, view_of(given, order, layout));
    EXPECT_EQ(links.to_host(), expected.to_host());
    CallerMemory returned = memory_of(lattice, order, layout, false);
    copy_out(view_of(returned, order, layout), links);
    for (std::size_t n = 0; n < static_cast<std::size_t>(18 * lattice.volume()); ++n) {
      ASSERT_NEAR(returned.storage[3][n], given.storage[3][n], 1e-14);
    }
  }
  const GaugeField<half> expected(full, LinkStorage::two_rows);
  GaugeField<half> links(expected.clone());
  copy_in(links, view_of(given, order, layout));
  EXPECT_EQ(links.to_host(), expected.to_host());
}

TEST(ArrayView, RefusesLinksThatCannotBeStoredAndKeepsTheField) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const Values values = special_unitary(lattice.volume());
  GaugeField<double> full(lattice);
  full.from_host(values);
  GaugeField<double> links(full, LinkStorage::two_rows);
  const Values before = links.to_host();
  Values wrong = values;
  wrong[100] += 0.01;
  KAON_EXPECT_ERROR(copy_in(links, {.data = wrong.data()}), "cannot be stored in 12 reals");
  EXPECT_EQ(links.to_host(), before);
  GaugeField<double> all(lattice);
  copy_in(all, {.data = wrong.data()});
  EXPECT_EQ(all.to_host(), wrong);
}

/// Hermitian blocks in full: [site][chirality][row][column].
Values hermitian_blocks(std::ptrdiff_t sites) {
  Values values(static_cast<std::size_t>(72 * sites));
  for (std::size_t block = 0; block < values.size() / 36; ++block) {
    for (std::size_t row = 0; row < 6; ++row) {
      for (std::size_t column = 0; column <= row; ++column) {
        const auto number = static_cast<double>(40 * block + 6 * row + column);
        const Number element(number + 1.0, row == column ? 0.0 : 0.25 * number + 1.0);
        values[36 * block + 6 * row + column] = element;
        values[36 * block + 6 * column + row] = std::conj(element);
      }
    }
  }
  return values;
}

Layout clover_layout(const Values& values, const Order& order, Subset subset) {
  const auto fill = [&values, packed = order.second](CallerMemory& memory, std::ptrdiff_t site, std::ptrdiff_t n) {
    const Number* const blocks = values.data() + 72 * n;
    if (!packed) {
      for (int k = 0; k < 72; ++k) memory.set(0, site, k, blocks[k]);
      return;
    }
    for (int chirality = 0; chirality < 2; ++chirality) {
      const Number* const block = blocks + 36 * chirality;
      for (int pair = 0; pair < 3; ++pair) {
        memory.set(0, site, 18 * chirality + pair, {block[14 * pair].real(), block[14 * pair + 7].real()});
      }
      int below = 3;
      for (int column = 0; column < 6; ++column) {
        for (int row = column + 1; row < 6; ++row, ++below) {
          memory.set(0, site, 18 * chirality + below, block[6 * row + column]);
        }
      }
    }
  };
  return {1, order.second ? 36 : 72, order.second ? InsideOrder::packed_clover : InsideOrder::full_clover, fill,
          subset};
}

template <class T>
void check_clover(Subset subset) {
  for (const Lattice& lattice : lattices()) {
    const Values values = hermitian_blocks(lattice.volume());
    for (const Order& order : orders()) {
      SCOPED_TRACE(order.text());
      const Layout layout = clover_layout(values, order, subset);
      CallerMemory given = memory_of(lattice, order, layout);
      CloverField<T> clover(lattice, subset);
      copy_in(clover, view_of(given, order, layout));
      const Values stored = clover.to_host();
      for (std::size_t k = 0; k < values.size(); ++k) {
        const Coordinates x = lexicographic_site(static_cast<std::ptrdiff_t>(k / 72), lattice.local_extents());
        const bool held = subset == Subset::full || (x[0] + x[1] + x[2] + x[3]) % 2 == static_cast<int>(subset);
        const double error = std::is_same_v<T, half> ? std::abs(values[k / 36 * 36 + 35]) * 1e-3 : 0.0;
        ASSERT_LE(std::abs(stored[k] - (held ? values[k] : 0.0)), error);
      }
      if (std::is_same_v<T, half>) continue;
      expect_written(lattice, order, clover_layout(stored, order, subset),
                     [&](const ArrayView& view) { copy_out(view, clover); });
    }
  }
}

TEST(ArrayView, HoldsCloverTermsFullAndPacked) {
  check_clover<double>(Subset::full);
  check_clover<float>(Subset::odd);
  check_clover<half>(Subset::full);
}

TEST(ArrayView, RefusesWhatItCannotBe) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  SpinorField<double> field(lattice);
  GaugeField<double> links(lattice);
  CloverField<double> clover(lattice);
  Values values(static_cast<std::size_t>(72 * lattice.volume()));
  KAON_EXPECT_ERROR(copy_in(field, {}), "an array is a null pointer");
  KAON_EXPECT_ERROR(
      copy_in(field, {.data = values.data(), .inside = InsideOrder::row_column}),
      "an array of spinors cannot have the order row_column within a site: name spin_color or color_spin");
  KAON_EXPECT_ERROR(copy_out({.data = values.data(), .inside = InsideOrder::packed_clover}, links),
                    "name row_column or column_row");
  KAON_EXPECT_ERROR(copy_in(clover, {.data = values.data(), .inside = InsideOrder::spin_color}),
                    "name full_clover or packed_clover");
  KAON_EXPECT_ERROR(copy_in(field, {.data = values.data(), .site_bytes = 184}),
                    "184 bytes from a site to the next, but a site of this field takes 192");
  KAON_EXPECT_ERROR(copy_in(field, {.data = values.data(), .site_bytes = 196}),
                    "196 bytes from a site to the next, no multiple of the 8 of its numbers");
  KAON_EXPECT_ERROR(copy_in(field, {.data = reinterpret_cast<char*>(values.data()) + 4}), "no multiple of 8");
  KAON_EXPECT_ERROR(copy_in(field, {.data = values.data()}, 1), "right-hand sides [1, 2) of a field that has 1");
  KAON_EXPECT_ERROR(copy_in(links, {.parts = {values.data(), values.data(), values.data(), nullptr}}),
                    "null pointer for a direction");
  KAON_EXPECT_ERROR(
      copy_in(links, {.data = values.data(), .parts = {values.data(), values.data(), values.data(), values.data()}}),
      "both one pointer for all directions and pointers for each");
  if (!on_device) {
    KAON_EXPECT_ERROR(copy_in(field, {.data = values.data(), .memory = ArrayMemory::device}), "built for hosts");
  }
}

/// An array in the memory of kernels.
TEST(ArrayView, MayLieWhereKernelsRun) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const auto count = static_cast<std::size_t>(lattice.volume() * 12);
  const Values values = numbered(count);
  const Kokkos::View<Kokkos::complex<double>*, Memory> array("kaon::test", count);
  const auto host = Kokkos::create_mirror_view(array);
  for (std::size_t k = 0; k < count; ++k) host(k) = values[k];
  Kokkos::deep_copy(array, host);
  SpinorField<double> field(lattice);
  copy_in(field, {.data = array.data(), .memory = on_device ? ArrayMemory::device : ArrayMemory::host});
  EXPECT_EQ(field.to_host(), values);
  Kokkos::deep_copy(array, Kokkos::complex<double>(0.0));
  copy_out({.data = array.data()}, field);
  Kokkos::deep_copy(host, array);
  for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(Number(host(k).real(), host(k).imag()), values[k]);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
