// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/handles.hpp"

#include <kaon/gauge/improved_links.hpp>

namespace kaon::capi {

/// Links of KAON_ASQTAD or KAON_HISQ, made of thin ones. Throws `Error`, and `Unsupported` for links in single
/// precision.
ImprovedLinks improved_links(const kaon_gauge& thin, int action, double u0, double naik_epsilon);

}  // namespace kaon::capi
