// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/session.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace kaon::apps {

/// The files of a run of `kaon generate` that exist, as the first process finds them: PREFIX_000100.lime and its like
/// (.nersc), PREFIX.checkpoint.json, PREFIX.checkpoint-a.lime and -b.lime. The JSON file comes first. Empty on the
/// other processes. Throws `Failure` where the folder cannot be searched. Collective.
std::vector<std::filesystem::path> files_of_run(const Session& session, const std::string& prefix);

/// Removes them, and what writing them has left behind when it was killed: the JSON file first, so that whatever is
/// left, if this is stopped, cannot be resumed. Returns their number on the first process. Collective.
std::size_t remove_files_of_run(const Session& session, const std::string& prefix);

}  // namespace kaon::apps
