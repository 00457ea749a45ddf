// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/schur.hpp"

#include "capi/handles.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/normal.hpp>

using kaon::capi::needed;

namespace kaon::capi {

SchurParameters schur_parameters(const kaon_schur_options* options) {
  const kaon_schur_options given = options_or_defaults(options, kaon_schur_options_init, "kaon_schur_options");
  return {.form = choice<SchurForm>(given.form, 2, "form of a Schur complement"),
          .parity = choice<kaon_parity>(given.parity, 2, "parity") == KAON_EVEN ? Parity::even : Parity::odd};
}

}  // namespace kaon::capi

namespace {

template <class T>
void apply(const kaon::Schur<T>& schur, kaon_form form, kaon::SpinorField<T>& out, const kaon::SpinorField<T>& in) {
  switch (kaon::capi::choice<kaon_form>(form, 3, "form of an operator")) {
    case KAON_M:
      return schur.apply(out, in);
    case KAON_M_DAGGER:
      return schur.apply_dagger(out, in);
    case KAON_M_DAGGER_M:
      return kaon::NormalOperator<T>(schur).apply(out, in);
  }
}

}  // namespace

extern "C" {

void kaon_schur_options_init(kaon_schur_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_schur_options), KAON_SYMMETRIC, KAON_EVEN};
}

kaon_status kaon_operator_apply_schur(const kaon_operator* dirac, const kaon_schur_options* options, kaon_form form,
                                      kaon_spinor* out, const kaon_spinor* in) {
  const kaon::capi::Arguments arguments{
      {"dirac", dirac}, {"options", options, kaon_schur_options_init}, {"form", form}, {"out", out}, {"in", in}};
  return kaon::capi::collective(__func__, arguments, [&] {
    const kaon::SchurParameters parameters = kaon::capi::schur_parameters(options);
    const auto apply_in = [&]<class T>(const kaon_operator::In<T>& of) {
      auto& to = kaon::capi::in_precision<T>(needed(out, "out").field, "out");
      const auto& from = kaon::capi::in_precision<T>(needed(in, "in").field, "in");
      kaon::require(out != in, "out is in: give a field of its own");
      kaon::SpinorField<T> image = to.parity(parameters.parity), rest = to.parity(kaon::capi::other(parameters.parity));
      apply(kaon::Schur<T>(*of.dirac, parameters), form, image, from.parity(parameters.parity));
      kaon::blas::set_zero(rest);
    };
    std::visit(apply_in, kaon::capi::current(dirac).in);
  });
}
}
