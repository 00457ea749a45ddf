// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

// The user's quda.h. Its declarations are visible outside the library, and nothing else.
#pragma GCC visibility push(default)
#include <quda.h>
#pragma GCC visibility pop

namespace kaon::quda {
using namespace kaon;  // for the functions of quda.h, which stand outside and name both by one directive
}
