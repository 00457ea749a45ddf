# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""kaon: lattice QCD on hosts and GPUs, in Python. docs/python.md is the guide.

Importing loads no library and starts nothing: the first object does."""
from __future__ import annotations

from .requirements import require_package, require_python

require_python()
require_package("numpy")

from typing import TYPE_CHECKING, Any

from .action import Action
from .chroma import chroma_header
from .contractions import baryon, meson, staggered_meson
from .correlators import Correlator, Correlators
from .effective_masses import effective_mass
from .eigenvectors import Eigenvectors
from .ensemble import Energy, Ensemble
from .errors import (Error, FileError, InternalError, InvalidArgument, LibraryError, NotConverged, OutOfMemory,
                     Stopped, Unfinished, Unsupported)
from .fits import Fit, JointFit
from .gamma import g5, gt, gx, gy, gz
from .gauge import CloverObservables, FixedGauge, GaugeField, Momenta, Plaquette, SmearedLinks
from .hmc import HMC, DomainWallFlavors, GaugeAction, RationalFlavors, Reversal, StaggeredFlavors, Trajectory, TwoFlavors
from .lattice import Lattice
from .library import library_path, refusing_together, set_log, start, stop, version
from .loops import creutz_ratios, static_potential, wilson_loops
from .measurements import measure
from .multi_solver import MultiMassSolver, MultiShiftSolver
from .observables import pcac_mass, three_point_ratio
from .operators import (Asqtad, DomainWall, ExponentialClover, Hisq, ImprovedStaggered, Operator, Staggered, TwistedDoublet, TwistedMass,
                        Wilson, WilsonClover)
from .predictions import predict
from .solver import Report, Solver
from .sources import GaussianSource, PointSource, Source, UniformWallSource, WallSource
from .spinor import Propagator, SpinorField
from .statistics import (Autocorrelated, ChainMean, Estimate, Plateau, binned, bootstrap, chain_mean, estimate, folded, gamma_method, jackknife,
                         plateau)

if TYPE_CHECKING:
    from . import plot

__all__ = [
    "Action", "Asqtad", "Autocorrelated", "ChainMean", "CloverObservables", "Correlator", "Correlators", "DomainWall", "DomainWallFlavors",
    "Eigenvectors", "Energy", "Ensemble", "Error", "Estimate", "ExponentialClover", "FileError", "Fit", "FixedGauge",
    "GaugeAction", "GaugeField", "GaussianSource", "HMC", "Hisq", "ImprovedStaggered", "InternalError", "InvalidArgument", "JointFit",
    "Lattice", "LibraryError", "Momenta", "MultiMassSolver", "MultiShiftSolver", "NotConverged", "Operator", "OutOfMemory",
    "Plaquette", "Plateau", "PointSource", "Propagator", "RationalFlavors", "Report", "Reversal", "SmearedLinks", "Solver", "Source",
    "SpinorField", "Staggered", "StaggeredFlavors", "Stopped", "Trajectory", "TwistedDoublet", "TwistedMass", "TwoFlavors",
    "Unfinished", "UniformWallSource", "Unsupported", "WallSource", "Wilson", "WilsonClover", "baryon", "binned", "bootstrap",
    "chain_mean", "chroma_header", "creutz_ratios", "effective_mass", "estimate", "folded", "g5", "gamma_method", "gt", "gx", "gy", "gz", "jackknife",
    "library_path", "measure", "meson", "pcac_mass", "plateau", "plot", "predict", "run_info", "set_log", "staggered_meson", "start",
    "static_potential", "stop", "three_point_ratio", "version", "wilson_loops",
]

globals().update({name: refusing_together(value) for name, value in list(globals().items()) if name in __all__})


def run_info() -> dict[str, Any]:
    """How this kaon was built and what it runs on: version, library, commit, compiler, device, ..."""
    from . import library

    start()
    return {"version": version(), "library": library_path(), **library.run_info()}


def __getattr__(name: str) -> Any:
    if name == "plot":  # matplotlib is imported for it alone
        import importlib

        return importlib.import_module(".plot", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
