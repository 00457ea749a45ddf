// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/process.hpp"

namespace kaon::quda {

ClientCommunicator communicator_of(const void*) {
  return [](const Session& session) { return session.communicator(); };
}

}  // namespace kaon::quda
