// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/lime.hpp"
#include "io/xml.hpp"

#include <kaon/core/coordinates.hpp>
#include <kaon/io/checksum.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kaon::io {

// SciDAC (QIO) files: LIME records scidac-private-file-xml and scidac-file-xml first, then for each field
// scidac-private-record-xml, scidac-record-xml, scidac-binary-data (or ildg-binary-data) and scidac-checksum.
// C. DeTar, QIO API 2.3, https://usqcd-software.github.io/qio/

/// Statements of scidac-private-record-xml about a field.
struct SciDacRecordInfo {
  std::string datatype;          ///< such as "QDP_F3_ColorMatrix"
  char precision = 0;            ///< 'F' or 'D'; 0: not stated
  int colors = 0;                ///< 0: not stated
  int spins = 0;                 ///< 0: not stated
  int typesize = 0;              ///< bytes of one object
  int datacount = 0;             ///< objects at a site
  bool imaginary_first = false;  ///< of the two parts of a complex number
};

/// The sites of a record that has not all: lower and upper coordinates.
struct ScidacCube {
  Coordinates lower{}, upper{};
};

/// A field of a SciDAC or ILDG file: its binary record and the records that describe it. These are of its message, in
/// any order: of several binary records in a message, each has those in front of it, or those after it where the
/// message starts with a binary record. Records of a message without a binary record describe the next one; a
/// checksum the one before, as tmLQCD writes it.
struct SciDacField {
  LimeRecord binary{};
  std::optional<SciDacRecordInfo> info{};
  Xml record{};               ///< the XML of the scidac-record-xml record, which may be a user's
  std::string ildg_format{};  ///< the XML of the ildg-format record
  std::optional<Checksum> checksum{};
};

/// The datatype of the fields that records etmc-propagator-format of tmLQCD describe.
inline constexpr std::string_view tmlqcd_datatype = "tmLQCD DiracFermion";

/// A SciDAC or ILDG file by its records.
struct SciDacFile {
  Xml file_xml;  ///< the XML of the first scidac-file-xml record, which may be a user's
  std::vector<SciDacField> fields;
  std::optional<Coordinates>
      extents;  ///< of scidac-private-file-xml, grid-format, gpt-format or etmc-propagator-format
  std::vector<std::pair<std::string, std::string>> texts;  ///< all other records that are text, by their type
  std::vector<std::string> notes;                          ///< what a user should know

  /// Adds a note and warns the user.
  void warn(const InputFile& file, const std::string& text);
};

/// Throws for XML that cannot be read in a record that describes a body, and where two records contradict each other. A
/// user's XML that cannot be read is a note and a warning.
SciDacFile scidac_file(const InputFile& file);

/// "Fri Jan 13 16:25:18 2006 UTC": now, as QIO writes it.
std::string scidac_date();

/// Writes scidac-private-file-xml and scidac-file-xml, which is a document.
void write_scidac_file_records(LimeWriter& lime, const Coordinates& extents, std::string_view file_xml);

/// The document of scidac-private-record-xml.
std::string scidac_record_xml(const SciDacRecordInfo& info, const std::optional<ScidacCube>& cube = {});

/// Writes scidac-private-record-xml and scidac-record-xml of a field, which is a document. The record of a hypercube
/// states its lower and upper coordinates, `cube`.
void write_scidac_record_records(LimeWriter& lime, const SciDacRecordInfo& info, std::string_view record_xml,
                                 const std::optional<ScidacCube>& cube = {});

/// Writes scidac-checksum.
void write_scidac_checksum(LimeWriter& lime, const Checksum& checksum);

}  // namespace kaon::io
