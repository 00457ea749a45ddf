// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/solve/multigrid.hpp"
#include "quda/client/call.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace kaon::quda {
namespace {

/// The object behind a client's pointer.
struct Instance {
  struct Built {
    OperatorDescription of;
    long version;  // of the resident fields
    std::shared_ptr<CachedSolver> solver;
  };
  SolveOptions parameters;
  std::vector<Built> built;  // the last used first; of a twisted operator there may be one for each sign of the twist
};

using Instances = std::map<const void*, std::unique_ptr<Instance>>;

Instance& instance(const void* pointer) {
  Instances& instances = state().held<Instances>();
  const auto found = instances.find(pointer);
  require(found != instances.end(),
          "this pointer leads to no multigrid: it must come from newMultigridQuda or qudaMultigridCreate and not have "
          "been destroyed");
  return *found->second;
}

/// Builds the multigrid for `of` on the fields there are now, from the vectors of the one before if there is one.
void build(Instance& instance, const OperatorDescription& of) {
  SolveOptions parameters = instance.parameters;
  const long version = state().version();
  std::shared_ptr<const Operator> made = operator_of(of);
  parameters.links = made->iteration_links();
  if (!instance.built.empty()) {
    auto vectors =
        std::make_shared<const SpinorField<float>>(instance.built.front().solver->solver().near_null_vectors());
    if (vectors->lattice() == made->dirac()->lattice()) parameters.multigrid.near_null_vectors = std::move(vectors);
  }
  const std::string conjugated = conjugate(of).key();
  std::erase_if(instance.built, [&](const Instance::Built& built) {
    return built.version != version || built.of.key() != conjugated || conjugated == of.key();
  });
  auto solver = std::make_shared<CachedSolver>(std::move(made), parameters);
  instance.built.insert(instance.built.begin(), {of, version, std::move(solver)});
}

void require_parameters(const QudaMultigridParam& given) {
  require_same_size(given, "QudaMultigridParam");
  require(given.invert_param != nullptr, "invert_param of QudaMultigridParam is NULL");
  say_ignored("QudaMultigridParam", given);  // kaon makes its choices itself
}

}  // namespace

std::shared_ptr<CachedSolver> multigrid_solver(const void* multigrid, const OperatorDescription& of) {
  std::vector<Instance::Built>& built = instance(multigrid).built;
  const auto serves = std::find_if(built.begin(), built.end(), [&](const Instance::Built& one) {
    return one.version == state().version() && one.of.key() == of.key();
  });
  if (serves == built.end()) {
    build(instance(multigrid), of);
  } else {
    std::rotate(built.begin(), serves, serves + 1);
  }
  return built.front().solver;
}

void* make_multigrid(const QudaInvertParam& of) {
  auto made = std::make_unique<Instance>();
  made->parameters = {.method = KrylovMethod::multigrid, .inner = InnerPrecision::half};
  build(*made, describe_operator(of));
  void* const pointer = made.get();
  state().held<Instances>().emplace(pointer, std::move(made));
  return pointer;
}

void destroy_multigrid(void* multigrid) {
  if (multigrid == nullptr) return;
  instance(multigrid);
  state().held<Instances>().erase(multigrid);
}

}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void* newMultigridQuda(QudaMultigridParam* param) {
  return call(__func__, param, [](const QudaMultigridParam& given) -> void* {
    const Kokkos::Timer timer;
    require_parameters(given);
    void* const pointer = make_multigrid(*given.invert_param);
    given.invert_param->secs = std::max(timer.seconds(), 1e-9);
    return pointer;
  });
}

void updateMultigridQuda(void* mg_instance, QudaMultigridParam* param) {
  call(__func__, param, [&](const QudaMultigridParam& given) {
    const Kokkos::Timer timer;
    require_parameters(given);
    build(instance(mg_instance), describe_operator(*given.invert_param));
    given.invert_param->secs = std::max(timer.seconds(), 1e-9);
  });
}

void destroyMultigridQuda(void* mg_instance) {
  call(__func__, [&] { destroy_multigrid(mg_instance); });
}

void dumpMultigridQuda(void* mg_instance, QudaMultigridParam* param) {
  call(__func__, param, [&](const QudaMultigridParam& given) {
    require_same_size(given, "QudaMultigridParam");
    instance(mg_instance);
    say_once("kaon: dumpMultigridQuda writes no file: kaon's near-null vectors are none of QUDA's levels");
  });
}
}
