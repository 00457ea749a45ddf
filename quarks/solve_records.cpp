// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/solve_records.hpp"
#include "core/tuning/tuning.hpp"
#include "core/tuning/tuning_file.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/random.hpp>

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <string_view>
#include <typeinfo>

namespace kaon::detail {
namespace {

constexpr const char* variable = "KAON_SOLVE_RECORDS";

/// "kaon::WilsonClover<double>"
std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? name.get() : type.name();
}

/// |A psi| / |psi| of noise psi on even sites, A being the site term: it depends on masses and on the clover term.
template <class T>
double size_of_site_term(const EvenOddOperator<T>& dirac) {
  SpinorField<T> psi = dirac.make_field(1);
  SpinorField<T> even = psi.parity(Parity::even);
  set_gaussian(even, {.seed = 1});
  const double before = blas::norm2(even)[0];
  dirac.apply_site_term(even, even, SiteTerm::diagonal, false);
  return std::sqrt(blas::norm2(even)[0] / before);
}

constexpr const char* setup_label = "multigrid_setup";

bool is_time(double value) { return std::isfinite(value) && value > 0.0; }

}  // namespace

bool SolveRecords::are_on(const Lattice& lattice) {
  enum class Setting { off, on, meaningless };
  Setting setting = Setting::off;
  if (lattice.communicator().rank() == 0) {
    const char* const value = std::getenv(variable);
    const std::string_view text = value == nullptr ? "on" : value;
    const bool on = text == "on" || text == "1" || text.empty();
    if (!on && text != "off" && text != "0") {
      setting = Setting::meaningless;
    } else if (on && tuning_is_on() && !tuning_cache().empty()) {
      setting = Setting::on;
    }
  }
  lattice.communicator().broadcast(&setting, sizeof setting);
  require(setting != Setting::meaningless, [] {
    return fmt::format("the environment variable {} has no meaning: set it to on (or 1) or to off (or 0)", variable);
  });
  return setting == Setting::on;
}

template <class T>
SolveRecords::SolveRecords(const Quark<T>& quark, const SolveRung& rung)
    : lattice_(quark->lattice()),
      precision_(precision_name<T>()),
      operator_(name_of(typeid(*quark))),
      solve_(fmt::format("site term {:.4g}, {} in {} to {:.1e}", size_of_site_term(*quark), entry_of(rung.method).word,
                         rung.precision, rung.bounds.tolerance)),
      link_reals_(reals(rung.links)) {}

TuningEntry SolveRecords::entry(const std::string& what, int n, double first, double second) const {
  return {.kernel = fmt::format("kaon::{}, {}", what, operator_),
          .extents = lattice_.local_extents(),
          .processes = lattice_.communicator().size(),
          .lanes = 0,
          .precision = precision_,
          .link_reals = link_reals_,
          .right_hand_sides = n,
          .shape = {},
          .microseconds = 1e6 * first,
          .standard_microseconds = 1e6 * second};
}

SolveRecord SolveRecords::record_in(const TuningSection& section, int n) const {
  SolveRecord record;
  const TuningSection wanted = this->section(n, {1.0, 1.0, 1.0, 1.0});
  for (const TuningEntry& each : section.entries) {
    if (!is_time(each.microseconds) || !is_time(each.standard_microseconds)) continue;
    if (same_kernel(each, wanted.entries[0])) {
      record.iterations = each.microseconds / each.standard_microseconds;
      record.per_iteration = 1e-6 * each.standard_microseconds;
      record.early_fall = each.shape.sites;
      record.skipped = std::max(0, each.shape.columns - 1);
    }
    if (same_kernel(each, wanted.entries[1])) {
      record.setup = 1e-6 * each.microseconds;
      record.setups = each.shape.sites;
    }
    if (same_kernel(each, wanted.entries[2])) record.by_multigrid = 1e-6 * each.microseconds;
  }
  return record;
}

TuningSection SolveRecords::section(int n, const SolveRecord& record) const {
  TuningSection found;
  const auto add = [&](const std::string& what, int count, double first, double second, const LaunchShape& numbers) {
    if (!is_time(first) || !is_time(second)) return;
    found.entries.push_back(entry(what, count, first, second));
    found.entries.back().shape = numbers;
  };
  add("solve_krylov, " + solve_, n, record.iterations * record.per_iteration, record.per_iteration,
      {.sites = record.early_fall, .columns = 1 + record.skipped});
  add(setup_label, 0, record.setup, record.setup, {.sites = record.setups});
  add("solve_multigrid, " + solve_, n, record.by_multigrid, record.by_multigrid, {.sites = 0});
  return found;
}

SolveRecord SolveRecords::recall(int n) const {
  SolveRecord record;
  if (lattice_.communicator().rank() == 0) record = record_in(tuning_results().sections.front(), n);
  lattice_.communicator().broadcast(&record, sizeof record);
  return record;
}

void SolveRecords::remember(int n, const SolveRecord& record) const {
  if (lattice_.communicator().rank() != 0) return;
  const TuningSection here = tuning_results().sections.front();
  TuningSection found = section(n, record);
  found.device = here.device;
  found.build = here.build;
  try {
    merge_into_tuning_file(tuning_cache(), found);
  } catch (const std::exception&) {  // the tuner warns of such files
  }
}

template SolveRecords::SolveRecords(const Quark<double>&, const SolveRung&);
template SolveRecords::SolveRecords(const Quark<float>&, const SolveRung&);

}  // namespace kaon::detail
