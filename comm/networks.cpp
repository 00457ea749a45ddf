// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/network.hpp"
#include "core/base/number_of.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace kaon::detail {
namespace {

/// Numbers are those of one process, with one GPU.
const NetworkPreset presets[] = {
    {{.name = "nvlink", .latency = 1.0e-6, .bandwidth = 450e9, .sum_latency = 0.85e-6, .kernels_sum = true},
     "two H200 by `peer` within kernels: tools/compare-predictions measures 0.97 us, 466 GB/s and 0.84 us; the wires "
     "have 450 GB/s each way"},
    {{.name = "ndr", .latency = 3.0e-6, .bandwidth = 48e9, .sum_latency = 2.0e-6},
     "nodes of four GPUs with a rail of 400 Gb/s each (NDR InfiniBand), 96 % of 50 GB/s; latencies are estimates"},
    {{.name = "hdr", .latency = 3.5e-6, .bandwidth = 6.0e9, .sum_latency = 2.5e-6},
     "nodes of four GPUs that share one rail of 200 Gb/s (HDR InfiniBand), 96 % of 25 GB/s; latencies are estimates"},
    {{.name = "qdr", .latency = 25e-6, .bandwidth = 1.6e9, .sum_latency = 3.0e-6},
     "arXiv:1011.0024 and arXiv:1109.2935: nodes of two GPUs that share QDR InfiniBand, 32 Gb/s of data, of which 80 "
     "% are had; copies to host memory and back are in the latency; an estimate"},
    {{.name = "gemini", .latency = 20e-6, .bandwidth = 5.0e9, .sum_latency = 2.5e-6},
     "arXiv:1612.07873: Cray XK7 (Titan), a GPU on each node; copies to host memory and back are in the latency; an "
     "estimate"},
};

/// Longest setting of KAON_TRANSPORT, with its end.
constexpr std::size_t setting_size = 128;

std::vector<std::string_view> words(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  for (;;) {
    const std::size_t end = text.find(separator);
    found.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return found;
    text.remove_prefix(end + 1);
  }
}

[[noreturn]] void refuse(std::string_view text) {
  std::string names;
  for (const NetworkPreset& preset : presets) names += preset.network.name + ", ";
  throw Error(fmt::format(
      "'{}' is no network to emulate: name one of {}or give microseconds and GB/s of messages, such as "
      "2,25; after a name may come the number of processes that sums run over, after numbers the "
      "microseconds of a stage of a sum and that number: ndr,64 or 2,25,1.5,64; then 'kernels', if they sum",
      text, names));
}

}  // namespace

double Network::sum_seconds() const { return sum_latency * std::ceil(std::log2(static_cast<double>(processes))); }

std::span<const NetworkPreset> network_presets() { return presets; }

Network parse_network(std::string_view text, int processes) {
  const std::vector<std::string_view> given = words(text, ',');
  const auto preset =
      std::ranges::find_if(presets, [&](const NetworkPreset& one) { return one.network.name == given.front(); });
  const bool named = preset != std::end(presets);
  Network network = named ? preset->network : Network{};
  network.processes = processes;
  const auto read_processes = [&](std::string_view word) {
    const auto count = number_of<int>(word);
    if (!count || *count < 1) refuse(text);
    network.processes = *count;
  };
  if (named) {
    if (given.size() > 2) refuse(text);
    if (given.size() == 2) read_processes(given[1]);
    return network;
  }
  if (given.size() < 2 || given.size() > 5) refuse(text);
  const auto seconds = [&](std::string_view word) {
    const auto microseconds = number_of<double>(word);
    // Within an hour: a clock counts nanoseconds.
    if (!microseconds || !(*microseconds >= 0.0 && *microseconds <= 3.6e9)) refuse(text);
    return 1e-6 * *microseconds;
  };
  network.latency = seconds(given[0]);
  const auto gigabytes = number_of<double>(given[1]);
  if (!gigabytes || !std::isfinite(*gigabytes) || *gigabytes < 1e-6) refuse(text);
  network.bandwidth = 1e9 * *gigabytes;
  if (given.size() > 2) network.sum_latency = seconds(given[2]);
  if (given.size() > 3) read_processes(given[3]);
  if (given.size() > 4 && given[4] != "kernels") refuse(text);
  network.kernels_sum = given.size() > 4;
  network.name = fmt::format("{}us_{}GB/s", given[0], given[1]);
  return network;
}

TransportSetting transport_setting(const Communicator& processes) {
  // The first process's variable counts: all must choose alike.
  std::array<char, setting_size> asked_by_first{};
  if (const char* text = std::getenv("KAON_TRANSPORT")) std::strncpy(asked_by_first.data(), text, setting_size - 1);
  processes.broadcast(asked_by_first.data(), asked_by_first.size());
  const std::string_view asked(asked_by_first.data());
  const std::vector<std::string_view> parts = words(asked, ':');
  if (parts.front() != "emulated") return {std::string(asked), {}};
  require(parts.size() == 2 || parts.size() == 3, [&] {
    return fmt::format(
        "KAON_TRANSPORT={}: a network to emulate is written emulated:NETWORK or "
        "emulated:NETWORK:TRANSPORT, such as emulated:ndr,64 or emulated:2,25:nccl",
        asked);
  });
  const std::string transport(parts.size() == 3 ? parts[2] : std::string_view());
  try {
    return {transport, parse_network(parts[1], processes.size())};
  } catch (const Error& error) {
    throw Error(fmt::format("KAON_TRANSPORT={}: {}", asked, error.what()));
  }
}

Communicator emulate_by_setting(const Communicator& processes) {
  const TransportSetting setting = transport_setting(processes);
  return setting.network ? emulate(processes, *setting.network) : processes;
}

}  // namespace kaon::detail
