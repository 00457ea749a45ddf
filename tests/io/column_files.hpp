// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/io/foreign_files.hpp"
#include "tests/io/random_links.hpp"

#include <kaon/io/propagator_file.hpp>

#include <fmt/format.h>

#include <string>

namespace kaon::test {

// Propagators with a field for each column, made by plain loops as other codes write them.

/// One column, [spin][colour] at each site in 64 bits.
inline std::string column_body(const io::HostPropagator& propagator, int column) {
  std::string body;
  for (std::ptrdiff_t site = 0; site < volume_of(propagator.extents); ++site) {
    for (int component = 0; component < 12; ++component) {
      const std::complex<double> z =
          propagator.values[propagator.index(site, component / 3, component % 3, column / 3, column % 3)];
      append(body, z.real(), ByteOrder::big);
      append(body, z.imag(), ByteOrder::big);
    }
  }
  return body;
}

/// The records of a field of Dirac fermions, as QIO writes them; `cube` are the elements of a hypercube.
inline std::string dirac_field(const std::string& body, const std::string& datatype, const std::string& user,
                               const std::string& cube = "<recordtype>0</recordtype>") {
  return lime_record("scidac-private-record-xml",
                     "<scidacRecord><version>1.1</version>" + cube + "<datatype>" + datatype +
                         "</datatype><precision>D</precision><colors>3</colors><spins>4</spins><typesize>192</typesize>"
                         "<datacount>1</datacount></scidacRecord>" +
                         std::string(1, '\0'),
                     true) +
         lime_record("scidac-record-xml", user + std::string(1, '\0')) + lime_record("scidac-binary-data", body) +
         lime_record("scidac-checksum", scidac_checksum(body, 192), false, true);
}

/// Pairs as Chroma and MILC write them: sources on the time slice 2, in hypercubes.
inline std::string dirac_pairs(const io::HostPropagator& propagator, const std::string& datatype, bool states_columns,
                               bool has_sources) {
  const Coordinates& x = propagator.extents;
  std::string bytes =
      lime_record("scidac-private-file-xml",
                  fmt::format("<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>{} {} {} {} </dims>"
                              "<volfmt>0</volfmt></scidacFile>",
                              x[0], x[1], x[2], x[3]),
                  true) +
      lime_record("scidac-file-xml",
                  "<usqcdPropFile><version>1.0</version><type>USQCD_DiracFermion_Source_Sink_Pairs</type>"
                  "<info></info></usqcdPropFile>",
                  false, true);
  for (int column = 0; column < 12; ++column) {
    if (has_sources) {
      bytes += dirac_field(std::string(192 * static_cast<std::size_t>(x[0] * x[1] * x[2]), '\0'), datatype,
                           "<usqcdSourceInfo><version>1.0</version><info></info></usqcdSourceInfo>",
                           fmt::format("<recordtype>2</recordtype><spacetime>4</spacetime><hyperlower>0 0 0 2 "
                                       "</hyperlower><hyperupper>{} {} {} 2 </hyperupper>",
                                       x[0] - 1, x[1] - 1, x[2] - 1));
    }
    bytes += dirac_field(column_body(propagator, column), datatype,
                         states_columns ? fmt::format("<usqcdPropInfo><version>1.0</version><spin>{}</spin><color>{}"
                                                      "</color><info></info></usqcdPropInfo>",
                                                      column / 3, column % 3)
                                        : "a column");
  }
  return bytes;
}

/// A column as tmLQCD writes it (cfc9c118): with lx in the place of lz.
inline std::string tmlqcd_column(const io::HostPropagator& propagator, int column) {
  const Coordinates& x = propagator.extents;
  const std::string body = column_body(propagator, column);
  return lime_record("propagator-type", "DiracFermion_Sink", true, true) +
         lime_record("xlf-info", "\n plaquette = 0.5\n", true, true) +
         lime_record(
             "etmc-propagator-format",
             fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<etmcFormat>\n  <field>diracFermion</field>\n"
                         "  <precision>64</precision>\n  <flavours>1</flavours>\n  <lx>{}</lx>\n  <ly>{}</ly>\n"
                         "  <lz>{}</lz>\n  <lt>{}</lt>\n</etmcFormat>",
                         x[0], x[1], x[0], x[3]),
             true) +
         lime_record("scidac-binary-data", body) +
         lime_record("scidac-checksum", scidac_checksum(body, 192), false, true);
}

}  // namespace kaon::test
