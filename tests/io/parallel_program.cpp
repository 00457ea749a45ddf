// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// What parallel_test.cpp runs on several processes: files written and read by all of them, or what cannot be. Every
// process prints "good" when all was as it should be, and else what was not.
#include "io/output_file.hpp"
#include "io/own_part.hpp"
#include "tests/io/parallel_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/io/propagator.hpp>

#include <fmt/format.h>
#include <sys/resource.h>

#include <csignal>
#include <functional>
#include <limits>
#include <map>

namespace kaon::test {
namespace {

namespace fs = std::filesystem;
using Complexes = std::vector<std::complex<double>>;

class Check {
 public:
  explicit Check(const Session& session) : session_(session) {}

  void that(bool condition, const std::string& what) {
    if (condition) return;
    fmt::print("process {}: {}\n", all().rank(), what);
    good_ = false;
  }

  /// The action throws an `Error` on every process, whose text has the part.
  std::string each_throws(const std::function<void()>& action, const std::string& part) {
    std::string text = error_text(action);
    that(text.find(part) != text.npos, fmt::format("'{}' is missing in: {}", part, text));
    return text;
  }

  /// That, and its text is the same on all.
  void throws(const std::function<void()>& action, const std::string& part) {
    const std::string text = each_throws(action, part);
    std::string first = text;
    std::size_t length = first.size();
    all().broadcast(&length, sizeof length);
    first.resize(length);
    all().broadcast(first.data(), length);
    that(text == first, fmt::format("'{}' here, '{}' on process 0", text, first));
  }

  int end() const {
    if (good_) fmt::print("good\n");
    return all().any(!good_) ? 1 : 0;
  }

  const Communicator& all() const { return session_.communicator(); }

 private:
  const Session& session_;
  bool good_ = true;
};

/// Lattices on the grids for this number of processes; the last with its ranks in reverse order.
std::vector<Lattice> lattices(const Communicator& all, const Coordinates& extents) {
  std::vector<Lattice> lattices;
  const auto grids = parallel_grids(all.size());
  for (const Coordinates& grid : grids) {
    lattices.emplace_back(all, LatticeParameters{.extents = extents, .process_grid = grid});
  }
  std::vector<int> reversed;
  for (int rank = all.size(); rank-- > 0;) reversed.push_back(rank);
  lattices.emplace_back(all, LatticeParameters{.extents = extents, .process_grid = grids.back(), .ranks = reversed});
  return lattices;
}

void write(Check& check, const fs::path& folder) {
  const io::HostLinks links = parallel_links();
  const io::HostPropagator propagator = parallel_propagator();
  int number = 0;
  for (const Lattice& lattice : lattices(check.all(), links.extents)) {
    const fs::path here = folder / fmt::format("grid{}", number++);
    if (check.all().rank() == 0) fs::create_directory(here);
    check.all().barrier();
    const auto field = io::to_gauge_field<double>(lattice, links);
    const Complexes own = io::own_values(lattice, links.extents, links.links);
    for (const auto& [name, options] : parallel_gauge_files) {
      io::write_gauge(here / name, field, options);
      if (options.bits == 32 || options.rows == 2) continue;
      check.that(io::to_host_links(io::read_gauge<double>(lattice, here / name)).links == own,
                 fmt::format("{} does not come back on {}", name, to_string(lattice.process_grid())));
    }
    for (const auto& [name, options] : parallel_propagator_files) {
      io::write_propagator(here / name, io::to_spinor_field<double>(lattice, propagator), options);
    }
    check.that(io::to_host_propagator(io::read_propagator<double>(lattice, here / "propagator64")).values ==
                   io::own_values(lattice, propagator.extents, propagator.values),
               fmt::format("the propagator does not come back on {}", to_string(lattice.process_grid())));
  }
}

/// Every file in the folder is read as this process alone reads it. Their order is that of the names.
void read(Check& check, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const io::HostGaugeFile whole = io::read_links(file);
    for (const Lattice& lattice : lattices(check.all(), whole.links.extents)) {
      const auto read = io::read_gauge_file<double>(check.all(), file, [&](const Coordinates& extents) {
        return Lattice(check.all(), {.extents = extents, .process_grid = lattice.process_grid()});
      });
      const Complexes own = io::own_values(read.links.lattice(), whole.links.extents, whole.links.links);
      const std::string name = fmt::format("{} on {}", file.string(), to_string(lattice.process_grid()));
      check.that(read.links.to_host() == own, name + " has other links");
      check.that(read.report.plaquette == whole.report.plaquette, name + " has another plaquette");
      check.that(read.report.link_trace == whole.report.link_trace, name + " has another link trace");
      check.that(read.report.checksum == whole.report.checksum, name + " has another checksum");
      check.that(read.report.unitarity_deviation == whole.report.unitarity_deviation, name + " is less unitary");
      check.that(read.report.notes == whole.report.notes, name + " has other notes");
      check.that(read.header.format == whole.header.format, name + " has another format");
    }
    check.that(io::inspect_gauge(file, {}, check.all()).extents == whole.header.extents, "inspected");
  }
}

/// Lets files grow no further than so many bytes: what a full disk does.
void limit_files(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  setrlimit(RLIMIT_FSIZE, &limit);
}

void refuse_input(Check& check, const fs::path& folder) {
  const int rank = check.all().rank(), size = check.all().size(), last = size - 1;
  const Lattice lattice(check.all(), {.extents = parallel_links().extents});
  const std::string everywhere = fmt::format("(on all {} processes)", size);
  const std::string on_last = fmt::format("(on process {} of {})", last, size);
  const auto read = [&](const fs::path& file) {
    return [&lattice, file] { static_cast<void>(io::read_gauge<double>(lattice, file)); };
  };
  const auto only_last = [&](const char* other) { return folder / (rank == last ? other : "valid"); };
  check.throws(read(folder / "absent"), "No such file or directory " + everywhere);
  check.throws(read(folder), "it is a folder " + everywhere);
  check.throws(read(folder / "empty"), "it is empty (0 bytes) " + everywhere);
  check.throws(read(folder / "truncated"), "is truncated");
  check.throws(read(folder / "headless"), "is truncated");
  check.throws(read(folder / "noise"), "has an unknown format");
  check.throws(read(folder / "damaged"), "wrong checksum: the file states ");
  check.throws(read(folder / "another-plaquette"), "wrong plaquette: the file states 0.25");
  check.throws(read(folder / "not-finite"),
               "1 of 12288 links hold NaN or infinity, the first in direction t at site "
               "(x, y, z, t) = (7, 3, 11, 7)");
  check.throws(read(only_last("absent")), "No such file or directory " + on_last);
  check.throws(read(only_last("truncated")), "processes see different files");
  check.each_throws(read(only_last("damaged")), "wrong checksum");  // it is called otherwise there
  check.throws([&] { io::inspect_gauge(only_last("absent"), {}, check.all()); }, on_last);
  const auto read_propagator = [&](const fs::path& file) {
    return [&lattice, file] { static_cast<void>(io::read_propagator<double>(lattice, file)); };
  };
  check.throws(read_propagator(folder / "valid"), "is no LIME file");
  check.throws(read_propagator(folder / "absent"), "No such file or directory " + everywhere);
  const Lattice other(check.all(), {.extents = {8, 8, 8, 8}});
  check.throws([&] { static_cast<void>(io::read_gauge<double>(other, folder / "valid")); }, "but the lattice has 8x8");
  check.that(io::read_gauge<double>(lattice, folder / "valid").to_host().size() > 0, "the valid file is read");
}

void refuse_output(Check& check, const fs::path& folder) {
  const int rank = check.all().rank(), size = check.all().size(), last = size - 1;
  const std::string on_first = fmt::format("(on process 0 of {})", size);
  const std::string on_last = fmt::format("(on process {} of {})", last, size);
  io::HostLinks links = parallel_links();
  const Lattice lattice(check.all(), {.extents = links.extents, .process_grid = parallel_grids(size).front()});
  const auto field = io::to_gauge_field<double>(lattice, links);
  const auto propagator = io::to_spinor_field<double>(lattice, parallel_propagator());
  const auto write = [&](const fs::path& file) {
    return [&field, file] { io::write_gauge(file, field, {.format = io::GaugeFormat::nersc}); };
  };
  check.throws(write(folder / "absent/a"), "no file can be made in its folder (No such file or directory) " + on_first);
  check.throws(write(folder), "it is a folder " + on_first);
  // A name of its own for the last process is of no consequence: the first tells where the file is.
  write(folder / (rank == last ? "b" : "a"))();
  check.throws([&] { io::write_gauge(folder / "a", field, {.bits = 16}); }, "with 16 bits: use 32 or 64");
  links.link(lexicographic_index({5, 2, 7, 6}, links.extents), 2)[4] = std::numeric_limits<double>::quiet_NaN();
  const auto bad = io::to_gauge_field<double>(lattice, links);
  check.throws([&] { io::write_gauge(folder / "a", bad); },
               "1 of 12288 links hold NaN or infinity, the first in direction z at site (x, y, z, t) = (5, 2, 7, 6)");
  check.throws(
      [&] {
        io::OutputFile file(folder / "c", check.all());
        file.write("header");
        if (rank == last) limit_files(1000);
        const auto offset = file.reserve(4000);
        const std::vector<std::byte> bytes(4000 / static_cast<std::size_t>(size));
        file.write_own(offset + static_cast<std::size_t>(rank) * bytes.size(), bytes);
        file.commit();
      },
      "File too large after ");
  check.throws(write(folder / "a"), "File too large after ");
  check.throws([&] { io::write_propagator(folder / "a", propagator); }, on_last);
  if (rank == 0) limit_files(1000);
  check.throws(write(folder / "a"), "bytes were reserved; nothing was left behind " + on_first);
}

const std::map<std::string, void (*)(Check&, const fs::path&)> ways{
    {"write", write}, {"read", read}, {"refuse-input", refuse_input}, {"refuse-output", refuse_output}};

}  // namespace
}  // namespace kaon::test

int main(int argc, char** argv) {
  return kaon::run_program(argc, argv, [&](const kaon::Session& session) {
    kaon::test::Check check(session);
    kaon::test::ways.at(argv[1])(check, argv[2]);
    return check.end();
  });
}
