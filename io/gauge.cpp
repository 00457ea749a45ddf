// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/whole_lattice.hpp"

#include <kaon/io/gauge.hpp>

namespace kaon::io {

template <class T>
GaugeField<T> to_gauge_field(const Lattice& lattice, const HostLinks& links) {
  require_whole_lattice(lattice, links.extents);
  GaugeField<T> field(lattice);
  field.from_host(links.links);
  return field;
}

template <class T>
HostLinks to_host_links(const GaugeField<T>& links) {
  require_whole_lattice(links.lattice(), links.lattice().extents());
  HostLinks host;
  host.extents = links.lattice().extents();
  host.links = links.to_host();
  return host;
}

template <class T>
GaugeField<T> read_gauge(const Lattice& lattice, const std::filesystem::path& path, const ReadOptions& options) {
  ReadOptions wanted = options;
  wanted.extents = lattice.extents();
  return to_gauge_field<T>(lattice, read_links(path, wanted).links);
}

template <class T>
void write_gauge(const std::filesystem::path& path, const GaugeField<T>& links, const WriteOptions& options) {
  write_links(path, to_host_links(links), options);
}

template GaugeField<double> to_gauge_field(const Lattice&, const HostLinks&);
template GaugeField<float> to_gauge_field(const Lattice&, const HostLinks&);
template HostLinks to_host_links(const GaugeField<double>&);
template HostLinks to_host_links(const GaugeField<float>&);
template GaugeField<double> read_gauge(const Lattice&, const std::filesystem::path&, const ReadOptions&);
template GaugeField<float> read_gauge(const Lattice&, const std::filesystem::path&, const ReadOptions&);
template void write_gauge(const std::filesystem::path&, const GaugeField<double>&, const WriteOptions&);
template void write_gauge(const std::filesystem::path&, const GaugeField<float>&, const WriteOptions&);

}  // namespace kaon::io
