# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Run by mpirun: an exception on one process ends them all, with its text, instead of leaving the others waiting."""
import kaon

links = kaon.GaugeField(kaon.Lattice((4, 4, 4, 8)), start="cold")
if links.lattice.rank == 1:
    raise RuntimeError("one process alone")
links.plaquette()
