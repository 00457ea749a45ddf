// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/parameters.hpp"
#include "quda/client/call.hpp"

namespace kaon::quda {
namespace {

template <class Structure>
void print(const char* function, const Structure* structure) {
  call(function, [&] {
    require(structure != nullptr, "the parameters are NULL");
    for_each_field(*structure, []<class Member, class Value>(const char* name, const Member& member, const Value&) {
      say(fmt::format("{} = {}", name, as_text(member)));
    });
  });
}

}  // namespace

void refuse(const char* name, long value, const char* supported) {
  throw Error(fmt::format("{} = {} is not supported; supported: {}", name, value, supported));
}

}  // namespace kaon::quda

extern "C" {

QudaGaugeParam newQudaGaugeParam() { return kaon::quda::fresh<QudaGaugeParam>(); }
QudaInvertParam newQudaInvertParam() { return kaon::quda::fresh<QudaInvertParam>(); }
QudaMultigridParam newQudaMultigridParam() { return kaon::quda::fresh<QudaMultigridParam>(); }
QudaEigParam newQudaEigParam() { return kaon::quda::fresh<QudaEigParam>(); }
QudaGaugeObservableParam newQudaGaugeObservableParam() { return kaon::quda::fresh<QudaGaugeObservableParam>(); }
QudaGaugeSmearParam newQudaGaugeSmearParam() { return kaon::quda::fresh<QudaGaugeSmearParam>(); }
QudaBLASParam newQudaBLASParam() { return kaon::quda::fresh<QudaBLASParam>(); }

void printQudaGaugeParam(QudaGaugeParam* param) { kaon::quda::print(__func__, param); }
void printQudaInvertParam(QudaInvertParam* param) { kaon::quda::print(__func__, param); }
void printQudaMultigridParam(QudaMultigridParam* param) { kaon::quda::print(__func__, param); }
void printQudaEigParam(QudaEigParam* param) { kaon::quda::print(__func__, param); }
void printQudaGaugeObservableParam(QudaGaugeObservableParam* param) { kaon::quda::print(__func__, param); }
void printQudaBLASParam(QudaBLASParam* param) { kaon::quda::print(__func__, param); }
}
