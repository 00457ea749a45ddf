// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/allocated_bytes.hpp"
#include "core/lattice/agreement.hpp"
#include "core/tuning/tuning.hpp"
#include "operators/test_seams.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/partitions/partitions.hpp"
#include "tests/support/built_storages.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/comm/transport.hpp>
#include <kaon/core/tuning.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// On native lanes all, on one lane, which is slower, and on the lattice with every cut one.
std::vector<LinkStorage> storages_on(const Lattice& lattice) {
  if (lattice.lanes() == Lanes::single || lattice.extents()[2] == 8) return built({LinkStorage::two_rows});
  return built({LinkStorage::full, LinkStorage::two_rows, LinkStorage::minimal});
}

/// How far the parts may be from the whole. In 16 bits the output is rounded twice, sqrt(24) eps of a site's norm each
/// time, and each of up to eight half spinors, of the norm of its two neighbours, once more; otherwise terms are added
/// in another order.
template <class T>
double allowed(double out, double in) {
  const double eps = 0.5 * detail::spacing<T>();
  if (!std::is_same_v<T, half>) return 100.0 * eps * (out + in);
  return std::sqrt(24.0) * eps * (2.0 * out + 8.0 * in);
}

struct Hops {
  HostValues in;                ///< of right-hand side 1
  std::vector<HostValues> out;  ///< of one right-hand side, for each storage, parity and site term
};

/// An operator with its links in some storages, and right-hand sides.
template <class T>
struct Quark {
  SpinorField<T> in;
  std::vector<std::unique_ptr<EvenOddOperator<T>>> stored{};

  Quark(const Lattice& lattice, const FermionCase& fermion) : in(in_precision<T>(gaussian<double>(lattice, 2))) {
    const auto exact = make_operator<double>(random_links<double>(lattice), fermion);
    for (const LinkStorage storage : storages_on(lattice)) stored.push_back(converted<T>(*exact, fermion, storage));
  }

  /// Every form of the hop.
  Hops hops() const {
    Hops hops{.in = in.to_host(1), .out = {}};
    for (const auto& dirac : stored) {
      for (const Parity parity : {Parity::even, Parity::odd}) {
        for (const SiteTerm term : {SiteTerm::none, SiteTerm::diagonal, SiteTerm::inverse}) {
          for (const bool with_x : {false, true}) {
            if (term == SiteTerm::diagonal && !with_x) continue;
            const SpinorField<T> x = in.parity(parity);
            SpinorField<T> out(in.lattice(), x.parameters());
            dirac->hop(out, in.parity(opposite(parity)),
                       {.term = term, .scale = -0.7, .x = with_x ? &x : nullptr, .x_scale = 1.3, .dagger = with_x});
            hops.out.push_back(out.to_host(with_x ? 0 : 1));
          }
        }
      }
    }
    return hops;
  }
};

/// Every form of the hop on the parts, in both ways, against that on the whole.
template <class T>
void expect_hops_of_whole(const std::vector<Partition>& all) {
  for (const FermionCase& fermion : {fermion_cases()[1], fermion_cases()[3]}) {
    OfWhole<Hops> of_whole([&](const Lattice& lattice) { return Quark<T>(lattice, fermion).hops(); });
    for (const Partition& partition : all) {
      const Hops& expected = of_whole(partition);
      const double in_norm = norm(expected.in);
      const Quark<T> quark(partition.parts, fermion);
      for (const bool halo_first : {false, true}) {
        SCOPED_TRACE(fermion.name + " on " + partition.name + (halo_first ? ", halos first" : ", edges afterwards"));
        const detail::ForcedHaloOrder order(halo_first);
        const Hops found = quark.hops();
        ASSERT_LE(largest_difference(part_of(expected.in, partition.parts), found.in), detail::spacing<T>() * 8.0);
        ASSERT_EQ(found.out.size(), expected.out.size());
        for (std::size_t form = 0; form < found.out.size(); ++form) {
          EXPECT_LE(distance(found.out[form], expected.out[form], partition.parts),
                    allowed<T>(norm(expected.out[form]), in_norm))
              << form;
        }
      }
    }
  }
}

template <class T>
class HopOverProcesses : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(HopOverProcesses, AllPrecisions);

TYPED_TEST(HopOverProcesses, IsThatOfTheWholeLattice) {
  std::vector<Partition> all = all_partitions();
  for (Partition& partition : partitions({8, 4, 8, 8}, 1, Cuts::every)) {
    if (partition.parts.lanes() == Lanes::native) all.push_back(std::move(partition));
  }
  expect_hops_of_whole<TypeParam>(all);
}

/// Shapes of launches and ways of halos change while a program runs: on all processes at once.
TYPED_TEST(HopOverProcesses, IsTunedAlikeOnAllProcesses) {
  const bool was_on = tuning_is_on();
  const FermionCase fermion = fermion_cases()[3];
  for (const Partition& partition : ends_of(partitions({8, 8, 8, 8}))) {
    SCOPED_TRACE(partition.name);
    const Quark<TypeParam> quark(partition.parts, fermion);
    set_tuning(false);
    clear_tuning();
    const Hops untuned = quark.hops();
    const double in_norm = norm(untuned.in);
    set_tuning(true);
    detail::tune_ahead([&] {
      const Hops found = quark.hops();
      ASSERT_EQ(found.out.size(), untuned.out.size());
      for (std::size_t form = 0; form < found.out.size(); ++form) {
        const auto &one = found.out[form], &other = untuned.out[form];
        ASSERT_EQ(one.size(), other.size());
        double difference = 0.0;
        for (std::size_t n = 0; n < one.size(); ++n) difference += std::norm(one[n] - other[n]);
        EXPECT_LE(std::sqrt(difference), allowed<TypeParam>(norm(other), in_norm)) << form;
      }
    });
    const std::vector<TuningEntry> entries = tuning_results().sections.front().entries;
    std::vector<double> shapes{static_cast<double>(entries.size())};
    for (const TuningEntry& entry : entries) {
      const LaunchShape& shape = entry.shape;
      for (const int value : {shape.sites, shape.right_hand_sides, shape.columns, shape.prefetch}) {
        shapes.push_back(static_cast<double>(value));
      }
      for (const bool value : {shape.halo_first, shape.edges_last, shape.stream}) shapes.push_back(value ? 1.0 : 0.0);
    }
    EXPECT_GT(entries.size(), 0u);
    EXPECT_EQ(detail::find_disagreement(processes(), fmt::format("{}", fmt::join(shapes, " "))), std::nullopt);
  }
  set_tuning(was_on);
}

/// Products are those of the output in memory, for both ways to complete the edges: bounds as in products_test.cpp.
TYPED_TEST(HopOverProcesses, TakesReductionsOfAllSites) {
  const double stored = std::is_same_v<TypeParam, half> ? std::sqrt(24.0) * 0.5 * detail::spacing<half>() : 0.0;
  const double relative = stored + 24.0 * detail::spacing<detail::Arithmetic<TypeParam>>();
  for (const Partition& partition : partitions({8, 4, 4, 8})) {
    const FermionCase fermion = fermion_cases()[3];
    const auto exact = make_operator<double>(random_links<double>(partition.parts), fermion);
    const auto dirac = converted<TypeParam>(*exact, fermion, LinkStorage::two_rows);
    const SpinorField<TypeParam> psi = in_precision<TypeParam>(gaussian<double>(partition.parts, 3));
    const SpinorField<TypeParam> x = psi.parity(Parity::even), in = psi.parity(Parity::odd);
    SpinorField<TypeParam> out(partition.parts, x.parameters()), w(partition.parts, x.parameters());
    dirac->hop(w, in, {.dagger = true});
    for (const bool halo_first : {false, true}) {
      SCOPED_TRACE(partition.name + (halo_first ? ", halos first" : ", edges afterwards"));
      const detail::ForcedHaloOrder order(halo_first);
      blas::PendingReductions reduced;
      dirac->hop(
          out, in,
          {.term = SiteTerm::inverse, .scale = -1.0, .x = &x, .reductions = {.x = true, .w = &w}, .reduced = &reduced});
      const blas::Products found = reduced.wait();
      const blas::Products expected = blas::reduce<TypeParam>(out, &x, {.x = true, .w = &w}).wait();
      const blas::Reals w_norm2 = blas::norm2(w);
      for (std::size_t k = 0; k < 3; ++k) {
        const double norm = std::sqrt(expected.y_norm2[k]), w_norm = std::sqrt(w_norm2[k]);
        EXPECT_NEAR(found.y_norm2[k], expected.y_norm2[k], 2.0 * relative * norm * norm);
        EXPECT_LE(std::abs(found.y_x[k] - expected.y_x[k]), relative * norm * std::sqrt(expected.x_norm2[k]));
        EXPECT_LE(std::abs(found.w_y[k] - expected.w_y[k]), relative * norm * w_norm);
      }
    }
  }
}

/// Sets KAON_TRANSPORT while it lives.
class ChosenTransport {
 public:
  explicit ChosenTransport(const std::string& name) {
    const char* const set = std::getenv("KAON_TRANSPORT");
    if (set != nullptr) before_ = set;
    setenv("KAON_TRANSPORT", name.c_str(), 1);
  }
  ~ChosenTransport() { setenv("KAON_TRANSPORT", before_.c_str(), 1); }
  ChosenTransport(const ChosenTransport&) = delete;
  ChosenTransport& operator=(const ChosenTransport&) = delete;

 private:
  std::string before_;
};

TYPED_TEST(HopOverProcesses, TravelsByEveryTransport) {
  for (const Transport transport : usable_transports(Lattice(processes(), {.extents = {4, 4, 4, 16}}))) {
    SCOPED_TRACE(to_string(transport));
    const ChosenTransport chosen(to_string(transport));
    // Halos are cached by their lattice, so that new lattices make new ones.
    const std::vector<Partition> fresh = partitions({4, 4, 4, 8});
    if (!fresh.empty()) expect_hops_of_whole<TypeParam>({fresh.back()});
  }
}

// Halos are cached for each number of right-hand sides.
TYPED_TEST(HopOverProcesses, GivesBackTheMemoryOfHalos) {
  for (const Partition& partition : partitions({4, 4, 4, 8})) {
    if (!partition.parts.is_partitioned() || partition.parts.lanes() == Lanes::single) continue;
    SCOPED_TRACE(partition.name);
    const FermionCase fermion = fermion_cases()[1];
    const auto dirac = converted<TypeParam>(*make_operator<double>(random_links<double>(partition.parts), fermion),
                                            fermion, LinkStorage::full);
    const auto hop = [&](int right_hand_sides) {
      const SpinorField<TypeParam> in = in_precision<TypeParam>(gaussian<double>(partition.parts, right_hand_sides));
      SpinorField<TypeParam> out(partition.parts, in.parity(Parity::even).parameters());
      dirac->hop(out, in.parity(Parity::odd), {});
      return out.to_host(right_hand_sides - 1);
    };
    const HostValues expected = hop(3);
    partition.parts.release_memory();
    const detail::AllocatedBytes bytes;
    EXPECT_EQ(hop(3), expected) << "the next hop makes halos again";
    const std::int64_t kept = bytes.fields().now;
    EXPECT_GT(kept, 0);
    hop(2);
    EXPECT_GT(bytes.fields().now, kept);
    partition.parts.release_memory();
    EXPECT_EQ(bytes.fields().now, 0);
  }
}

TEST(Transport, IsOneThatWorksHere) {
  const Lattice lattice(processes(), {.extents = {4, 4, 4, 16}});
  const std::vector<Transport> usable = usable_transports(lattice);
  ASSERT_FALSE(usable.empty());
  for (const Transport transport : usable) {
    const ChosenTransport chosen(to_string(transport));
    EXPECT_EQ(choose_transport(lattice), transport);
  }
  for (const Transport transport :
       {Transport::host, Transport::staged, Transport::device, Transport::peer, Transport::nccl}) {
    if (std::find(usable.begin(), usable.end(), transport) != usable.end()) continue;
    const ChosenTransport chosen(to_string(transport));
    KAON_EXPECT_ERROR((void)choose_transport(lattice),
                      "KAON_TRANSPORT=" + to_string(transport) + " does not work here: use one of ");
  }
  {
    const ChosenTransport chosen("pigeon");
    KAON_EXPECT_ERROR((void)choose_transport(lattice), "KAON_TRANSPORT=pigeon does not work here: use one of ");
  }
  const ChosenTransport chosen("");
  EXPECT_EQ(choose_transport(lattice), usable.front());
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
