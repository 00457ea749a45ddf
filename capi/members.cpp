// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"

#include <algorithm>
#include <string_view>

namespace kaon::capi {

// The communicator is not compared: its number is that of the calling process, and it says which processes compare.
std::vector<Argument> members(const kaon_lattice_options& o) {
  // Other numbers of ranks are refused for each grid.
  const auto session = running_session();
  const int size = session != nullptr && o.use_communicator == 0 ? session->communicator().size() : 0;
  const bool fits = std::ranges::all_of(o.grid, [&](int n) { return n > 0 && n <= size; }) &&
                    volume_of({o.grid[0], o.grid[1], o.grid[2], o.grid[3]}) == size;
  return {{"extents", o.extents, 4}, {"grid", o.grid, 4}, {"ranks", o.ranks, fits ? size : 0}, {"reach", o.reach}};
}

std::vector<Argument> members(const kaon_read_options& o) {
  return {{"ignore_stated_plaquette", o.ignore_stated_plaquette}};
}

std::vector<Argument> members(const kaon_file_options& o) { return {{"format", o.format}, {"bits", o.bits}}; }

std::vector<Argument> members(const kaon_propagator_options& o) {
  return {{"format", o.format},
          {"bits", o.bits},
          {"milc_projectors", o.milc_projectors},
          {"chroma_header", std::string_view(o.chroma_header != nullptr ? o.chroma_header : "")},
          {"info", std::string_view(o.info != nullptr ? o.info : "")}};
}

std::vector<Argument> members(const kaon_heatbath_options& o) {
  return {{"beta", o.beta}, {"overrelaxations", o.overrelaxations}, {"seed", o.seed}, {"update", o.update}};
}

std::vector<Argument> members(const kaon_smear_options& o) {
  return {{"method", o.method},   {"steps", o.steps},          {"omitted", o.omitted}, {"rho", o.rho},
          {"epsilon", o.epsilon}, {"alpha", o.alpha},          {"alpha_1", o.alpha_1}, {"alpha_2", o.alpha_2},
          {"alpha_3", o.alpha_3}, {"anisotropy", o.anisotropy}};
}

std::vector<Argument> members(const kaon_flow_options& o) {
  return {{"action", o.action}, {"steps", o.steps}, {"step", o.step}, {"anisotropy", o.anisotropy}};
}

std::vector<Argument> members(const kaon_gauge_fix_options& o) {
  return {{"condition", o.condition},
          {"max_iterations", o.max_iterations},
          {"tolerance", o.tolerance},
          {"relaxation", o.relaxation}};
}

std::vector<Argument> members(const kaon_spinor_options& o) {
  return {{"precision", o.precision},
          {"spins", o.spins},
          {"colors", o.colors},
          {"right_hand_sides", o.right_hand_sides},
          {"slices", o.slices}};
}

std::vector<Argument> members(const kaon_source_options& o) {
  return {{"kind", o.kind}, {"site", o.site, 4}, {"spin", o.spin}, {"color", o.color}, {"seed", o.seed}};
}

std::vector<Argument> members(const kaon_quark_smear_options& o) { return {{"width", o.width}, {"steps", o.steps}}; }

std::vector<Argument> members(const kaon_schur_options& o) { return {{"form", o.form}, {"parity", o.parity}}; }

std::vector<Argument> members(const kaon_link_smear_options& o) {
  return {{"action", o.action}, {"u0", o.u0}, {"naik_epsilon", o.naik_epsilon}};
}

std::vector<Argument> members(const kaon_eigenvector_options& o) {
  return {{"count", o.count},
          {"even_sites", o.even_sites},
          {"basis", o.basis},
          {"tolerance", o.tolerance},
          {"max_restarts", o.max_restarts},
          {"filter_degree", o.filter_degree},
          {"filter_lower", o.filter_lower},
          {"filter_upper", o.filter_upper},
          {"seed", o.seed}};
}

std::vector<Argument> members(const kaon_hmc_options& o) {
  return {{"length", o.length}, {"seed", o.seed}, {"accept_all", o.accept_all}};
}

std::vector<Argument> members(const kaon_gauge_action_options& o) {
  return {{"beta", o.beta}, {"rectangle", o.rectangle}};
}

std::vector<Argument> members(const kaon_quark_term_options& o) {
  return {{"flavors", o.flavors},
          {"mu", o.mu},
          {"numerator_mu", o.numerator_mu},
          {"heavier_mass", o.heavier_mass},
          {"lowest", o.lowest},
          {"highest", o.highest},
          {"tolerance", o.tolerance},
          {"force_tolerance", o.force_tolerance},
          {"max_iterations", o.max_iterations},
          {"method", o.method},
          {"inner", o.inner},
          {"exact", o.exact}};
}

std::vector<Argument> members(const kaon_correlator_options& o) {
  return {{"source_site", o.source_site, 4}, {"direction", o.direction}};
}

std::vector<Argument> state_of(const kaon_spinor& of) {
  return std::visit(
      [&](const auto& field) -> std::vector<Argument> {
        return {{"lattice", field.lattice()},
                {"precision", of.field.index()},
                {"spins", field.spins()},
                {"colors", field.colors()},
                {"right_hand_sides", field.right_hand_sides()},
                {"slices", field.slices()}};
      },
      of.field);
}

}  // namespace kaon::capi
