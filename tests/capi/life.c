/* SPDX-FileCopyrightText: The kaon authors
 * SPDX-License-Identifier: MIT */

/* kaon in a program of C99 that has neither MPI nor Kokkos of its own: starts, works, stops once and for all. */
#include <kaon/kaon.h>

#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int condition, const char* what) {
  if (condition) return;
  ++failures;
  fprintf(stderr, "failed: %s; last error: %s\n", what, kaon_last_error());
}

int main(int argc, char** argv) {
  kaon_start_options start;
  kaon_lattice_options options;
  kaon_lattice *lattice = NULL, *late = NULL;
  kaon_gauge* gauge = NULL;
  double plaquette[3];
  int mu;

  expect(strcmp(kaon_last_error(), "") == 0, "no error before the first");
  kaon_start_options_init(&start);
  start.argc = &argc;
  expect(kaon_start(&start) == KAON_INVALID, "argc without argv is refused");
  start.argv = &argv;
  expect(kaon_start(&start) == KAON_OK, "start");
  expect(kaon_start(NULL) == KAON_OK, "start within a start");
  kaon_lattice_options_init(&options);
  for (mu = 0; mu < 4; ++mu) options.extents[mu] = 4;
  expect(kaon_lattice_create(&options, &lattice) == KAON_OK, "a lattice");
  expect(kaon_gauge_create(lattice, KAON_SINGLE, &gauge) == KAON_OK, "links");
  expect(kaon_gauge_start(gauge, KAON_COLD, 0, 0.0) == KAON_OK, "unit links");
  expect(kaon_stop() == KAON_OK, "the inner stop");
  expect(kaon_stop() == KAON_OK, "the outer stop");
  expect(kaon_lattice_create(&options, &late) == KAON_INVALID, "a lattice after the stop is refused");
  kaon_lattice_destroy(&lattice);
  expect(kaon_gauge_plaquette(gauge, plaquette) == KAON_OK && plaquette[0] == 1.0, "links outlive the stop");
  kaon_gauge_destroy(&gauge);
  expect(kaon_start(NULL) == KAON_UNSUPPORTED && strstr(kaon_last_error(), "cannot be started again") != NULL,
         "a second start is refused");
  expect(kaon_stop() == KAON_INVALID, "a stop without a start is refused");
  if (failures == 0) printf("kaon %s: started and stopped\n", kaon_version());
  return failures;
}
