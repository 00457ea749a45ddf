// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace kaon::apps {

/// Readies a process for streams and limits that others have set; called first. Streams that are closed keep their
/// numbers, which no file of ours may get. Writing to a closed pipe, or beyond the largest size of files, becomes an
/// error of that write instead of a signal that ends the process. As many files may be open as the system lets a
/// process have, up to 65536: those of many masses are all complete before any has its name.
void prepare_streams();

/// Writes to standard output. Where that fails, the work goes on, and `standard_output_problem` knows at its end.
void write_to_standard_output(const std::string& text);

/// Why something could not be written to standard output; empty where all was.
std::string standard_output_problem();

}  // namespace kaon::apps
