// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/phases.hpp"
#include "io/gauge/gauge_parts.hpp"
#include "io/site_body.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/gauge.hpp>

#include <optional>

namespace kaon::io {

template <class T>
GaugeField<T> to_gauge_field(const Lattice& lattice, const HostLinks& links) {
  GaugeField<T> field(lattice);
  if (links.extents == lattice.local_extents()) {
    field.from_host(links.links);
  } else {
    field.from_host(own_values(lattice, links.extents, links.links));
  }
  return field;
}

template <class T>
HostLinks to_host_links(const GaugeField<T>& links) {
  HostLinks host;
  host.extents = links.lattice().local_extents();
  host.links = links.to_host();
  return host;
}

template <class T>
GaugeFile<T> read_gauge_file(const Communicator& communicator, const std::filesystem::path& path,
                             const std::function<Lattice(const Coordinates&)>& make_lattice,
                             const ReadOptions& options) {
  const kaon::detail::Phase phase(kaon::detail::PhaseName::read);
  std::optional<Lattice> lattice;
  HostGaugeFile file = read_parts(communicator, path, options, [&](const Coordinates& extents) {
    lattice = make_lattice(extents);
    return part_of(*lattice);
  });
  require_representable<T>(path, communicator, file.links.links);
  return {std::move(file.header), std::move(file.report), to_gauge_field<T>(*lattice, file.links)};
}

template <class T>
GaugeField<T> read_gauge(const Lattice& lattice, const std::filesystem::path& path, const ReadOptions& options) {
  ReadOptions wanted = options;
  wanted.extents = lattice.extents();
  return read_gauge_file<T>(
             lattice.communicator(), path, [&](const Coordinates&) { return lattice; }, wanted)
      .links;
}

template <class T>
Checksum write_gauge(const std::filesystem::path& path, const GaugeField<T>& links, const WriteOptions& options) {
  const kaon::detail::Phase phase(kaon::detail::PhaseName::write);
  return write_parts(path, part_of(links.lattice()), to_host_links(links), options);
}

template <class T>
PreparedGauge::PreparedGauge(const std::filesystem::path& path, const GaugeField<T>& links, const WriteOptions& options)
    : checksum_(), file_(prepare_parts(path, part_of(links.lattice()), to_host_links(links), options, checksum_)) {}

PreparedGauge::~PreparedGauge() = default;
PreparedGauge::PreparedGauge(PreparedGauge&&) noexcept = default;
PreparedGauge& PreparedGauge::operator=(PreparedGauge&&) noexcept = default;

void PreparedGauge::commit() {
  require(file_ != nullptr, "this gauge file has its name already");
  file_->commit();
  file_.reset();
}

template PreparedGauge::PreparedGauge(const std::filesystem::path&, const GaugeField<double>&, const WriteOptions&);
template PreparedGauge::PreparedGauge(const std::filesystem::path&, const GaugeField<float>&, const WriteOptions&);
template GaugeField<double> to_gauge_field(const Lattice&, const HostLinks&);
template GaugeField<float> to_gauge_field(const Lattice&, const HostLinks&);
template HostLinks to_host_links(const GaugeField<double>&);
template HostLinks to_host_links(const GaugeField<float>&);
template GaugeFile<double> read_gauge_file(const Communicator&, const std::filesystem::path&,
                                           const std::function<Lattice(const Coordinates&)>&, const ReadOptions&);
template GaugeFile<float> read_gauge_file(const Communicator&, const std::filesystem::path&,
                                          const std::function<Lattice(const Coordinates&)>&, const ReadOptions&);
template GaugeField<double> read_gauge(const Lattice&, const std::filesystem::path&, const ReadOptions&);
template GaugeField<float> read_gauge(const Lattice&, const std::filesystem::path&, const ReadOptions&);
template Checksum write_gauge(const std::filesystem::path&, const GaugeField<double>&, const WriteOptions&);
template Checksum write_gauge(const std::filesystem::path&, const GaugeField<float>&, const WriteOptions&);

}  // namespace kaon::io
