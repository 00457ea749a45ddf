// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"

#include <kaon/measure/smearing.hpp>

using kaon::capi::needed;

extern "C" {

void kaon_quark_smear_options_init(kaon_quark_smear_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_quark_smear_options), 0.0, 0};
}

kaon_status kaon_spinor_smear(kaon_spinor* spinor, const kaon_gauge* gauge, const kaon_quark_smear_options* options) {
  return kaon::capi::collective(__func__, {{"spinor", spinor}, {"gauge", gauge}, {"options", options}}, [&] {
    const kaon_quark_smear_options& given = kaon::capi::checked(needed(options, "options"), "kaon_quark_smear_options");
    const auto smear = [&]<class T>(kaon::SpinorField<T>& field) {
      kaon::gaussian_smear(field, kaon::capi::in_precision<T>(needed(gauge, "gauge").links, "gauge"),
                           {.width = given.width, .steps = given.steps});
    };
    std::visit(smear, needed(spinor, "spinor").field);
  });
}
}
