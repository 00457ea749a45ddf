// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/output_file.hpp"

#include <kaon/io/spinors.hpp>

#include <memory>

namespace kaon::io {

/// `write_spinor_fields`, except for the name: the file is complete and on the disk, and `OutputFile::commit` names it.
/// Collective.
template <class T>
std::unique_ptr<OutputFile> prepare_spinor_fields(const std::filesystem::path& path,
                                                  std::span<const SpinorField<T>> fields, const SpinorFileInfo& info,
                                                  const SpinorWriteOptions& options);

}  // namespace kaon::io
