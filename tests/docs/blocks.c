/* SPDX-FileCopyrightText: The kaon authors
 * SPDX-License-Identifier: MIT
 *
 * The block of C of docs/c.md, with what it leaves out. */
#include <kaon/kaon.h>

#include <stdio.h>

int main(void) {
  kaon_lattice* lattice = NULL;
  kaon_gauge* gauge = NULL;
  kaon_operator* dirac = NULL;
  kaon_solver* solver = NULL;
  kaon_spinor *source = NULL, *propagator = NULL;
  kaon_source_options point;
  kaon_report reports[12];
  double pion[16];
  int t;
  kaon_source_options_init(&point);
#include "c/a-program-1.inc"
  for (t = 0; t < 16; ++t) printf("%3d  %.10e\n", t, pion[t]);
  return reports[0].converged ? 0 : 1;
}
