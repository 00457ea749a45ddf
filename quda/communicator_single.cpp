// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/communicator.hpp"

namespace kaon::quda {

Communicator communicator_of(const void*, const Session& session) { return session.communicator(); }

}  // namespace kaon::quda
