// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/network.hpp"
#include "multigrid/setup/level_choice.hpp"
#include "operators/test_seams.hpp"
#include "tests/gauge/initial_links.hpp"
#include "tests/partitions/partitions.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/comm/transport.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

#include <array>
#include <cstdlib>

// Networks that are emulated: messages and sums take as long as they must, and change no digit.
namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::emulate;
using detail::emulate_by_setting;
using detail::Network;
using detail::network_of;
using detail::parse_network;

/// Seconds that `body` takes, with the kernels that it enqueues.
template <class Body>
double seconds_of(const Body& body) {
  Kokkos::fence();
  const Kokkos::Timer timer;
  body();
  Kokkos::fence();
  return timer.seconds();
}

/// A GPU's multiprocessors count cycles; the fastest clock defines a second.
constexpr double at_least = 0.999;

TEST(Networks, AreNamedOrGivenInNumbers) {
  for (const detail::NetworkPreset& preset : detail::network_presets()) {
    const Network network = parse_network(preset.network.name, 5);
    EXPECT_EQ(network.latency, preset.network.latency);
    EXPECT_GT(network.bandwidth, 1e9) << "bytes, not gigabytes, in a second";
    EXPECT_LT(network.latency, 1e-4) << "seconds, not microseconds";
    EXPECT_GT(network.sum_latency, 0.0);
    EXPECT_EQ(network.processes, 5);
    EXPECT_NE(std::string(preset.source), "");
    EXPECT_EQ(parse_network(preset.network.name + ",512", 5).processes, 512);
  }
  const Network network = parse_network("2.5,25,1.5,64", 1);
  EXPECT_DOUBLE_EQ(network.latency, 2.5e-6);
  EXPECT_DOUBLE_EQ(network.bandwidth, 25e9);
  EXPECT_DOUBLE_EQ(network.sum_seconds(), 6 * 1.5e-6);
  EXPECT_DOUBLE_EQ(network.message_seconds(25e3), 3.5e-6);
  EXPECT_DOUBLE_EQ(parse_network("2.5,25,1.5,65", 1).sum_seconds(), 7 * 1.5e-6);
  EXPECT_FALSE(network.kernels_sum);
  EXPECT_TRUE(parse_network("2.5,25,1.5,64,kernels", 1).kernels_sum);
  EXPECT_DOUBLE_EQ(parse_network("2.5,25,1.5,64,kernels", 1).sum_seconds(), 1.5e-6);
  EXPECT_EQ(parse_network("2.5,25,1.5,1,kernels", 1).sum_seconds(), 0.0);
  EXPECT_EQ(parse_network("2.5,25,1.5", 1).sum_seconds(), 0.0);
  EXPECT_EQ(parse_network("0,25", 9).sum_seconds(), 0.0);
}

/// Sets KAON_TRANSPORT while it lives.
class Setting {
 public:
  explicit Setting(const std::string& text) {
    if (const char* const set = std::getenv("KAON_TRANSPORT")) before_ = set;
    setenv("KAON_TRANSPORT", text.c_str(), 1);
  }
  ~Setting() { setenv("KAON_TRANSPORT", before_.c_str(), 1); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  std::string before_;
};

TEST(Networks, AreRefusedOnEveryProcessWhereTheyHaveNoMeaning) {
  for (const char* const bad :
       {"",           "carrier", "ndr,0",  "ndr,-4", "ndr,4,4",  "ndr,2.5", "2",
        "2,",         ",25",     "2,0",    "2,-25",  "-2,25",    "2,25,-1", "2,25,1,0",
        "2,25,1,4,5", "2us,25",  "nan,25", "2,inf",  "2,25,nan", "1e99,25", "2,25,1,99999999999",
        " 2,25"}) {
    SCOPED_TRACE(bad);
    KAON_EXPECT_ERROR((void)parse_network(bad, 1), std::string("'") + bad + "' is no network to emulate: name one of ");
    // The first process' setting counts.
    const Setting setting(std::string("emulated:") + (processes().rank() == 0 ? bad : "ndr"));
    KAON_EXPECT_ERROR((void)emulate_by_setting(processes()),
                      std::string("KAON_TRANSPORT=emulated:") + bad + ": '" + bad + "' is no network to emulate: name");
  }
  for (const char* const bad : {"emulated", "emulated:ndr:host:host"}) {
    const Setting setting(bad);
    KAON_EXPECT_ERROR((void)emulate_by_setting(processes()), "a network to emulate is written emulated:NETWORK or ");
  }
  const Lattice lattice(processes(), {.extents = {4, 4, 4, 16}});
  const Setting setting("emulated:ndr:pigeon");
  KAON_EXPECT_ERROR((void)choose_transport(lattice), "KAON_TRANSPORT=pigeon does not work here");
}

TEST(Networks, ComeWithTheTransportThatTheyDelay) {
  const Lattice lattice(processes(), {.extents = {4, 4, 4, 16}});
  for (const Transport transport : usable_transports(lattice)) {
    const Setting setting("emulated:1,2,3,4:" + to_string(transport));
    EXPECT_EQ(choose_transport(lattice), transport);
    const Communicator emulated = emulate_by_setting(processes());
    ASSERT_NE(network_of(emulated), nullptr);
    EXPECT_DOUBLE_EQ(network_of(emulated)->sum_seconds(), 6e-6);
    EXPECT_NE(emulated.name().find("emulating 1us_2GB/s between 4 processes"), std::string::npos) << emulated.name();
  }
  {
    const Setting setting("emulated:hdr");
    EXPECT_EQ(choose_transport(lattice), usable_transports(lattice).front());
    EXPECT_EQ(network_of(emulate_by_setting(processes()))->processes, processes().size());
  }
  const Setting setting("");
  EXPECT_EQ(network_of(emulate_by_setting(processes())), nullptr);
}

TEST(EmulatedProcesses, SendMessagesThatShareALink) {
  constexpr double latency = 10e-3, bandwidth = 100e6;
  const Communicator all = emulate(processes(), {.name = "slow", .latency = latency, .bandwidth = bandwidth});
  const int above = (all.rank() + 1) % all.size(), below = (all.rank() + all.size() - 1) % all.size();
  std::array<std::vector<double>, 2> sent, received;
  for (std::size_t k = 0; k < 2; ++k) {
    sent[k].assign(125000, all.rank() + static_cast<double>(k));  // 1 MB: 10 ms
    received[k].assign(125000, -1.0);
  }
  const auto message = [](std::vector<double>& data, int peer, int tag) {
    return Message{data.data(), data.size() * sizeof(double), peer, tag};
  };
  const Message sends[] = {message(sent[0], below, 0), message(sent[1], above, 1)};
  const Message receives[] = {message(received[0], above, 0), message(received[1], below, 1)};
  const auto exchange = all.make_exchange(sends, receives);
  double soonest_start = 1.0;
  for (int repetition = 0; repetition < 4; ++repetition) {
    const Kokkos::Timer timer;
    exchange->start();
    soonest_start = std::min(soonest_start, timer.seconds());
    std::array<double, 2> arrival{};
    for (int index = exchange->next(); index >= 0; index = exchange->next()) {
      arrival[static_cast<std::size_t>(index)] = timer.seconds();
    }
    EXPECT_GE(arrival[0], latency + 1e6 / bandwidth);
    EXPECT_GE(arrival[1], latency + 2e6 / bandwidth);
    EXPECT_EQ(received[0], std::vector<double>(125000, above));
    EXPECT_EQ(received[1], std::vector<double>(125000, below + 1.0));
  }
  EXPECT_LT(soonest_start, latency) << "work beside the messages need not wait for them";
}

TEST(EmulatedProcesses, AddUpInStages) {
  const Communicator all =
      emulate(processes(), {.name = "slow", .bandwidth = 1e9, .sum_latency = 2e-3, .processes = 5});
  std::array<double, 2> values{1.0, 2.0}, largest{1.0 * all.rank(), -3.0};
  EXPECT_GE(seconds_of([&] { all.sum(values); }), 6e-3);
  EXPECT_GE(seconds_of([&] { all.maximum(largest); }), 6e-3);
  EXPECT_EQ(values[1], 2.0 * all.size());
  EXPECT_EQ(largest[0], all.size() - 1.0);
}

/// Lattices of processes that emulate `network`, or not, alike in all else.
std::vector<Lattice> cut_lattices(const Communicator& all) {
  std::vector<Lattice> found;
  for (const Coordinates grid : {Coordinates{1, 1, 1, all.size()}, Coordinates{all.size(), 1, 1, 1}}) {
    for (const Lanes lanes : {Lanes::native, Lanes::single}) {
      found.emplace_back(
          all,
          LatticeParameters{
              .extents = {8, 4, 4, 8}, .process_grid = grid, .partition = {true, true, false, true}, .lanes = lanes});
    }
  }
  return found;
}

// Kernels of GPUs sum with the network and without it: hosts might round functions of sums otherwise.
const Network slow{
    .name = "slow", .latency = 1e-3, .bandwidth = 1e9, .sum_latency = 0.5e-3, .kernels_sum = on_device, .processes = 4};

template <class T>
class EmulatedHop : public testing::Test {};
using Precisions = testing::Types<double, float, half>;
TYPED_TEST_SUITE(EmulatedHop, Precisions);

TYPED_TEST(EmulatedHop, HasTheSameDigitsAndWaitsForItsHalo) {
  using T = TypeParam;
  for (const bool halo_first : {false, true}) {
    const detail::ForcedHaloOrder order(halo_first);
    const auto hop = [](const Lattice& lattice, double& seconds) {
      const GaugeField<double> links = hot_links<double>(lattice, 3);
      const WilsonClover<double> exact(links, {.mass = 0.1, .csw = 1.2});
      const WilsonClover<T> dirac(exact, LinkStorage::full);
      SpinorField<double> source(lattice, {.subset = Subset::odd});
      set_gaussian(source, {.seed = 4});
      SpinorField<T> in(lattice, {.subset = Subset::odd}), out(lattice, {.subset = Subset::even});
      blas::copy(in, source);
      const auto apply = [&] { dirac.hop(out, in, {.term = SiteTerm::inverse}); };
      apply();
      seconds = seconds_of([&] {
        for (int n = 0; n < 3; ++n) apply();
      });
      return out.to_host(0);
    };
    const std::vector<Lattice> plain = cut_lattices(processes());
    const std::vector<Lattice> emulated = cut_lattices(emulate(processes(), slow));
    for (std::size_t k = 0; k < plain.size(); ++k) {
      double seconds = 0.0, emulated_seconds = 0.0;
      const HostValues expected = hop(plain[k], seconds);
      EXPECT_EQ(hop(emulated[k], emulated_seconds), expected);
      EXPECT_GE(emulated_seconds, at_least * 3 * slow.latency);
    }
  }
}

TEST(EmulatedSolves, HaveTheSameDigitsAndWaitForTheirSums) {
  const detail::ForcedHaloOrder order(false);
  const auto solve = [](const Lattice& lattice, bool cg, SolveResult& result) {
    const GaugeField<double> links = weak_links<double>(lattice, 0.2, 1);
    const WilsonClover<double> dirac(links, {.mass = 0.1, .csw = 1.0});
    const Schur<double> schur(dirac);
    const NormalOperator<double> normal(schur);
    SpinorField<double> b = schur.make_field(1), x = schur.make_field(1);
    set_gaussian(b, {.seed = 5});
    const SolverParameters parameters{.tolerance = 1e-6};
    result = cg ? Cg<double>(normal, parameters).solve(x, b) : BiCgStab<double>(schur, parameters).solve(x, b);
    EXPECT_TRUE(result.converged());
    return x.to_host(0);
  };
  const std::vector<Lattice> plain = cut_lattices(processes());
  const std::vector<Lattice> emulated = cut_lattices(emulate(processes(), slow));
  for (const bool cg : {true, false}) {
    for (std::size_t k = 0; k < plain.size(); k += 2) {
      SolveResult result, emulated_result;
      const HostValues expected = solve(plain[k], cg, result);
      double seconds = seconds_of([&] { EXPECT_EQ(solve(emulated[k], cg, emulated_result), expected); });
      EXPECT_EQ(emulated_result.iterations(), result.iterations());
      // Two products in sequence and two applications of two hops, in CG and in BiCGstab.
      const double of_iteration = 2 * slow.sum_seconds() + 4 * slow.latency;
      EXPECT_GE(seconds, at_least * of_iteration * result.iterations()) << (cg ? "CG" : "BiCGstab");
    }
  }
}

// One process alone finds the iterations of many: it has their blocks and their levels.
TEST(OneProcessAsMany, ChoosesTheirLevels) {
  const auto text_of = [](const std::vector<MultigridCoarsening>& levels) {
    std::string text;
    for (const MultigridCoarsening& level : levels) text += to_string(level.block) + " ";
    return text;
  };
  const int size = processes().size();
  for (const Coordinates grid : {Coordinates{1, 1, 1, size}, Coordinates{size, 1, 1, 1}}) {
    for (const Coordinates extents :
         {Coordinates{8, 8, 8, 16}, Coordinates{12, 8, 8, 24}, Coordinates{24, 24, 24, 48}}) {
      const Lattice whole({.extents = extents});
      const Lattice parts(processes(), {.extents = extents, .process_grid = grid});
      EXPECT_EQ(text_of(detail::choose_levels(whole, {}, grid)), text_of(detail::choose_levels(parts)));
    }
  }
  const Lattice whole({.extents = {24, 24, 24, 48}});
  KAON_EXPECT_ERROR((void)detail::choose_levels(whole, {}, {1, 1, 1, 16}),
                    "16 processes cannot share 48 sites in direction 3: each holds an even number");
  // 3072 numbers on 2 x 6 x 2 x 4 sites are the last level of GPUs.
  EXPECT_EQ(detail::choose_levels(whole, {}, {1, 1, 1, 2}).size(), on_device ? 2u : 3u);
}

TEST(OneProcessAsMany, TakesTheIterationsOfTheirBlocks) {
  const auto solve = [](const Lattice& lattice, const Coordinates& block) {
    const GaugeField<double> links = weak_links<double>(lattice, 0.3, 1);
    const WilsonClover<double> dirac(links, {.mass = -0.1, .csw = 1.0});
    const Schur<double> schur(dirac);
    const Schwarz<double> blocks(schur, {.block = block, .steps = 4});
    SpinorField<double> b = schur.make_field(1), x = schur.make_field(1);
    set_gaussian(b, {.seed = 5});
    const SolveResult result = Gcr<double>(schur, blocks, {.solve = {.tolerance = 1e-8}}).solve(x, b);
    EXPECT_TRUE(result.converged());
    return result.iterations();
  };
  for (const Coordinates grid : {Coordinates{1, 1, 1, processes().size()}, Coordinates{processes().size(), 1, 1, 1}}) {
    const LatticeParameters parameters{.extents = {8, 4, 4, 8}, .process_grid = grid};
    const Lattice parts(processes(), parameters);
    const int iterations = solve(parts, {});
    EXPECT_EQ(solve(Lattice({.extents = parameters.extents}), parts.local_extents()), iterations);
    EXPECT_GT(iterations, 3);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
