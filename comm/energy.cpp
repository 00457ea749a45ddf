// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/processes.hpp"

#include <kaon/comm/energy.hpp>
#include <kaon/core/execution.hpp>

#include <array>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA)
#include <dlfcn.h>
#endif

namespace kaon {
namespace {

#if defined(KOKKOS_ENABLE_CUDA)
/// The counter of this process' GPU: NVML comes with the driver, and is looked up where the program runs.
class BoardCounter {
 public:
  BoardCounter() {
    void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto start = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    const auto find =
        reinterpret_cast<int (*)(const char*, void**)>(dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
    read_ = reinterpret_cast<Read>(dlsym(library, "nvmlDeviceGetTotalEnergyConsumption"));
    std::array<char, 32> bus{};
    int device = 0;
    const bool found = start != nullptr && find != nullptr && read_ != nullptr && start() == 0 &&
                       cudaGetDevice(&device) == cudaSuccess &&
                       cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device) == cudaSuccess &&
                       find(bus.data(), &board_) == 0;
    if (!found) board_ = nullptr;
  }

  /// J since the driver was loaded.
  std::optional<double> joules() const {
    unsigned long long millijoules = 0;
    if (board_ == nullptr || read_(board_, &millijoules) != 0) return std::nullopt;
    return 1e-3 * static_cast<double>(millijoules);
  }

 private:
  using Read = int (*)(void*, unsigned long long*);
  Read read_ = nullptr;
  void* board_ = nullptr;
};

std::optional<double> joules_of_board() {
  static const BoardCounter counter;
  return counter.joules();
}
#else
std::optional<double> joules_of_board() { return std::nullopt; }
#endif

template <class T>
std::optional<T> read(const std::filesystem::path& file) {
  std::ifstream in(file);
  T value;
  if (in >> value) return value;
  return std::nullopt;
}

constexpr double most_watts = 500.0;  // of a processor package

}  // namespace

struct EnergyMeter::Counters {
  /// The counter of a processor package, uJ from 0 to `range`.
  struct Package {
    std::filesystem::path file;
    double begin;
    double range;
  };

  std::optional<double> board;
  std::vector<Package> packages;  // of the node, counted by its first process
  int counts_for = 0;             // processes whose hardware this one counts
  Kokkos::Timer timer;

  /// Since the start.
  std::optional<double> joules() const {
    if (on_device) {
      const std::optional<double> now = joules_of_board();
      if (!board || !now) return std::nullopt;
      return *now - *board;
    }
    if (counts_for == 0) return 0.0;
    if (packages.empty()) return std::nullopt;
    double sum = 0.0;
    for (const Package& package : packages) {
      const std::optional<double> end = read<double>(package.file);
      if (!end || 1e6 * most_watts * timer.seconds() > package.range) return std::nullopt;
      sum += *end - package.begin + (*end < package.begin ? package.range : 0.0);
    }
    return 1e-6 * sum;
  }

  /// Packages are zones of the name "package-0"; cores and memory within them are zones of other names. Laptops have
  /// each package twice, in intel-rapl and in intel-rapl-mmio.
  static std::vector<Package> packages_in(const std::filesystem::path& powercap) {
    std::vector<Package> packages;
    std::set<std::string> known;
    std::error_code none;
    for (const auto& zone : std::filesystem::directory_iterator(powercap, none)) {
      const std::optional<std::string> name = read<std::string>(zone.path() / "name");
      if (!name || !name->starts_with("package") || !known.insert(*name).second) continue;
      const std::filesystem::path file = zone.path() / "energy_uj";
      const std::optional<double> begin = read<double>(file);
      const std::optional<double> range = read<double>(zone.path() / "max_energy_range_uj");
      if (!begin || !range) return {};  // a part of the node's energy would be missing
      packages.push_back({file, *begin, *range});
    }
    return packages;
  }
};

EnergyMeter::EnergyMeter(const Communicator& processes, const std::filesystem::path& powercap)
    : counters_(std::make_unique<Counters>()), processes_(processes) {
  if (on_device) {
    counters_->board = joules_of_board();
    counters_->counts_for = 1;
    return;
  }
  const detail::NodeShare& node = detail::node_share();
  if (processes.size() > 1 && node.rank > 0) return;
  counters_->counts_for = node.size;
  counters_->packages = Counters::packages_in(powercap);
}

EnergyMeter::~EnergyMeter() = default;

std::optional<double> EnergyMeter::joules() const {
  const std::optional<double> own = counters_->joules();
  std::array<double, 3> sums{own.value_or(0.0), own ? 0.0 : 1.0, static_cast<double>(counters_->counts_for)};
  processes_.sum(sums);
  if (sums[1] > 0.0 || sums[2] < processes_.size()) return std::nullopt;
  return sums[0];
}

}  // namespace kaon
