// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"

#include <kaon/gauge/momenta.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <algorithm>

using namespace kaon::capi;

extern "C" {

kaon_status kaon_momenta_create(const kaon_lattice* lattice, kaon_momenta** momenta) {
  return call(__func__, {{"lattice", lattice}, {"momenta", momenta}}, [&] {
    *momenta = new kaon_momenta{lattice->place, kaon::GaugeField<double>(lattice->lattice)};
  });
}

kaon_status kaon_momenta_set(kaon_momenta* momenta, const kaon_array* array) {
  return collective(__func__, {{"momenta", momenta}, {"array", array}}, [&] {
    kaon::GaugeField<double>& to = momenta->field;
    kaon::GaugeField<double> matrices(to.lattice());
    each_alone(to.lattice(), [&] { kaon::copy_in(matrices, view(array)); });
    kaon::set_momenta(to, matrices);
  });
}

kaon_status kaon_momenta_get(const kaon_momenta* momenta, const kaon_array* array) {
  return call(__func__, {{"momenta", momenta}}, [&] { kaon::copy_out(view(array), momenta->field); });
}

kaon_status kaon_momenta_draw(kaon_momenta* momenta, uint64_t seed, uint32_t stream) {
  return collective(__func__, {{"momenta", momenta}, {"seed", seed}, {"stream", stream}},
                    [&] { kaon::set_gaussian_momenta(momenta->field, 1.0, {.seed = seed, .stream = stream}); });
}

kaon_status kaon_momenta_energy(const kaon_momenta* momenta, double* energy) {
  return collective(__func__, {{"momenta", momenta}, {"energy", energy}},
                    [&] { *energy = kaon::kinetic_energy(momenta->field); });
}

kaon_status kaon_momenta_kick(kaon_momenta* momenta, const kaon_gauge* matrices, double dt) {
  return collective(__func__, {{"momenta", momenta}, {"matrices", matrices}, {"dt", dt}}, [&] {
    kaon::GaugeField<double>& kicked = momenta->field;
    kaon::kick_momenta(kicked, in_precision<double>(matrices->links, "matrices"), dt);
  });
}

void kaon_momenta_destroy(kaon_momenta** momenta) { destroy(momenta); }

kaon_status kaon_gauge_advance(kaon_gauge* gauge, const kaon_momenta* momenta, double dt) {
  return collective(__func__, {{"gauge", gauge}, {"momenta", momenta}, {"dt", dt}}, [&] {
    auto& links = in_precision<double>(gauge->links, "gauge");
    kaon::advance_links(links, momenta->field, {.size = dt});
    gauge->changes.add();
  });
}

kaon_status kaon_gauge_reunitarize(kaon_gauge* gauge) {
  return collective(__func__, {{"gauge", gauge}}, [&] {
    const auto reunitarize = [](auto& links) {
      const kaon::UnitarityDeviation found = kaon::deviation_from_su3(links);
      const double worst = std::max(found.unitarity.deviation, found.determinant.deviation);
      kaon::require(worst <= 1e-5, [&] {
        return fmt::format("a link is {:.3e} away from SU(3): links that left it by rounding, by 1e-5 at most, go back",
                           worst);
      });
      kaon::reunitarize(links);
    };
    std::visit(reunitarize, gauge->links);
    gauge->changes.add();
  });
}
}
