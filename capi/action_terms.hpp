// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/handles.hpp"

#include <kaon/hmc/smeared_term.hpp>

#include <memory>
#include <vector>

// Terms of the action as options name them: of kaon_hmc, and by themselves.

namespace kaon::capi {

/// Throws `Error` for numbers that are not finite.
std::shared_ptr<ActionTerm> gauge_term(const kaon_gauge_action_options& given);

/// Smeared links that terms share, one for each smearing.
using SharedLinks = std::vector<std::shared_ptr<SmearedLinks>>;

/// The term on thin links or, as its options say, on smeared ones, which are those of `shared` or become one of them.
/// Throws `Error` for what the action of these quarks refuses, and `Unsupported` for a method that it has not.
std::shared_ptr<ActionTerm> quark_term(const kaon_operator_options& quarks, const kaon_quark_term_options& given,
                                       SharedLinks& shared);

}  // namespace kaon::capi
