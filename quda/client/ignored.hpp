// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/interface.hpp"

namespace kaon::quda {

/// Says once which parameters a client has set that have no effect here.
void say_ignored(const QudaInvertParam& given);
void say_ignored(const QudaMultigridParam& given);

}  // namespace kaon::quda
