// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace kaon::apps {

/// Prepares a process for the streams and limits that it has inherited; called first. The numbers of closed streams are
/// reserved, so that no file of the program gets them. Writing to a closed pipe, or beyond the largest size of files,
/// becomes an error of that write instead of a signal that ends the process. The limit of open files becomes the
/// largest that the system allows, up to 65536: the files of many masses are all complete before any of them is
/// renamed.
void prepare_streams();

/// Writes to standard output. If that fails, the work continues, and `standard_output_problem` returns the reason.
void write_to_standard_output(const std::string& text);

/// The reason why a text could not be written to standard output; empty if all texts were written.
std::string standard_output_problem();

}  // namespace kaon::apps
