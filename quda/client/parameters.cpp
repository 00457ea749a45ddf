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
    for_each_field(*structure, [](const char* name, const auto& member, const auto&, bool) {
      say(fmt::format("{} = {}", name, as_text(member)));
    });
  });
}

}  // namespace

void refuse(const char* name, long value, const char* supported) {
  throw Error(fmt::format("{} = {} is not supported; supported: {}", name, value, supported));
}

}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

QudaGaugeParam newQudaGaugeParam() { return fresh<QudaGaugeParam>(); }
QudaInvertParam newQudaInvertParam() { return fresh<QudaInvertParam>(); }
QudaMultigridParam newQudaMultigridParam() { return fresh<QudaMultigridParam>(); }
QudaEigParam newQudaEigParam() { return fresh<QudaEigParam>(); }
QudaGaugeObservableParam newQudaGaugeObservableParam() { return fresh<QudaGaugeObservableParam>(); }
QudaGaugeSmearParam newQudaGaugeSmearParam() { return fresh<QudaGaugeSmearParam>(); }
QudaBLASParam newQudaBLASParam() { return fresh<QudaBLASParam>(); }

void printQudaGaugeParam(QudaGaugeParam* param) { print(__func__, param); }
void printQudaInvertParam(QudaInvertParam* param) { print(__func__, param); }
void printQudaMultigridParam(QudaMultigridParam* param) { print(__func__, param); }
void printQudaEigParam(QudaEigParam* param) { print(__func__, param); }
void printQudaGaugeObservableParam(QudaGaugeObservableParam* param) { print(__func__, param); }
void printQudaBLASParam(QudaBLASParam* param) { print(__func__, param); }
}
