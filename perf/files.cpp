// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/random.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/io/propagator.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <complex>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kaon::perf {
namespace {

/// A file of all processes in the folder for temporary files (`TMPDIR`), removed at the end.
class ScratchFile {
 public:
  explicit ScratchFile(const Communicator& communicator) : is_first_(communicator.rank() == 0) {
    long process = ::getpid();
    communicator.broadcast(&process, sizeof process);
    path_ = std::filesystem::temp_directory_path() / ("kaon_perf." + std::to_string(process));
  }
  ~ScratchFile() {
    std::error_code ignored;
    if (is_first_) std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  double bytes() const { return static_cast<double>(std::filesystem::file_size(path_)); }

 private:
  bool is_first_;
  std::filesystem::path path_;
};

/// Reads all bytes in pieces of 128 KiB, as `cat FILE > /dev/null` does.
void read_bytes(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(file >= 0, [&] { return "cannot open " + path.string(); });
  std::vector<std::byte> piece(std::size_t{1} << 17);
  while (::read(file, piece.data(), piece.size()) > 0) {
  }
  ::close(file);
}

/// Adds WHAT/double/EXTENTS, which times `write(path)` and counts the bytes of the file, or `read(path)` of a file that
/// `write` has written.
template <class Write, class Read>
void add_pair(Suite& suite, const Lattice& lattice, const std::string& what, const Write& write, const Read& read) {
  const std::string name = what + "/double/" + to_string(lattice.extents());
  add_benchmark("write_" + name, [&suite, &lattice, write](benchmark::State& state) {
    const auto content = write(lattice);
    const ScratchFile file(suite.communicator);
    content(file.path());
    suite.communicator.barrier();
    measure(state, suite, {0.0, file.bytes()}, [&] { content(file.path()); });
  });
  const auto add_reader = [&](const std::string& reader, const auto& call) {
    add_benchmark(reader + name, [&suite, &lattice, write, call](benchmark::State& state) {
      const ScratchFile file(suite.communicator);
      write(lattice)(file.path());
      suite.communicator.barrier();
      measure(state, suite, {0.0, file.bytes()}, [&] { call(lattice, file.path()); });
    });
  };
  add_reader("read_", read);
  add_reader("read_bytes_of_", [](const Lattice&, const std::filesystem::path& path) { read_bytes(path); });
}

auto writer_of_links(const Lattice& lattice) {
  auto links = std::make_shared<GaugeField<double>>(lattice);
  set_random(*links, {.seed = 1});
  return [links](const std::filesystem::path& path) { io::write_gauge(path, *links); };
}

auto writer_of_propagator(const Lattice& lattice) {
  auto propagator = std::make_shared<SpinorField<double>>(lattice, SpinorParameters{.right_hand_sides = 12});
  set_gaussian(*propagator, {.seed = 2});
  return [propagator](const std::filesystem::path& path) { io::write_propagator(path, *propagator); };
}

/// Adds upload_WHAT and download_WHAT, which copy `per_site` numbers of each site from an array of the host into a
/// field and back.
template <class Field>
void add_copies(Suite& suite, const Lattice& lattice, const std::string& what, int per_site,
                const std::function<Field(const Lattice&)>& make) {
  const auto add = [&](const std::string& way, const auto& copy) {
    add_benchmark(way + what + "/double/" + to_string(lattice.extents()),
                  [&suite, &lattice, per_site, make, copy](benchmark::State& state) {
                    Field field = make(lattice);
                    const auto numbers = static_cast<std::size_t>(lattice.local_volume() * per_site);
                    std::vector<std::complex<double>> values(numbers, 0.5);
                    const double bytes = static_cast<double>(lattice.volume() * per_site) * sizeof values[0];
                    measure(state, suite, {0.0, bytes}, [&] { copy(field, values); });
                  });
  };
  add("upload_", [](Field& field, const auto& values) { copy_in(field, {.data = values.data()}); });
  add("download_", [](const Field& field, auto& values) { copy_out({.data = values.data()}, field); });
}

}  // namespace

void register_files(Suite& suite, const Lattice& lattice) {
  add_pair(
      suite, lattice, "gauge", [](const Lattice& on) { return writer_of_links(on); },
      [](const Lattice& on, const std::filesystem::path& path) { io::read_gauge<double>(on, path); });
  add_pair(
      suite, lattice, "propagator", [](const Lattice& on) { return writer_of_propagator(on); },
      [](const Lattice& on, const std::filesystem::path& path) { io::read_propagator<double>(on, path); });
  add_copies<GaugeField<double>>(suite, lattice, "gauge", 36, [](const Lattice& on) { return GaugeField<double>(on); });
  add_copies<SpinorField<double>>(suite, lattice, "spinor", 12,
                                  [](const Lattice& on) { return SpinorField<double>(on); });
}

}  // namespace kaon::perf
