# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
"""Spack recipe: `spack repo add tools/spack`, then `spack install kaon` from a checkout by `spack dev-build` or `develop`."""
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Kaon(CMakePackage, CudaPackage):
    """Lattice QCD on Kokkos: Dirac operators, Krylov solvers and multigrid for hosts and GPUs from one source."""

    license("MIT")

    version("develop")

    variant("mpi", default=True, description="Run on several processes")
    variant("python", default=True, description="The Python package")
    variant("quda_headers", default=False, description="libquda, which takes QUDA's place: with the headers of a QUDA")
    variant("tests", default=False, description="Build the tests")

    depends_on("cxx", type="build")
    depends_on("c", type="build", when="+tests")
    depends_on("cmake@3.25:", type="build")
    depends_on("kokkos@4.6:5 +openmp cxxstd=20")
    depends_on("kokkos-kernels@4.6:")
    depends_on("fmt@9:")
    depends_on("pugixml@1.11:")
    depends_on("libdeflate@1.10:")
    depends_on("hdf5@1.10.3:")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("cli11", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("quda@develop", type="build", when="+quda_headers")
    depends_on("googletest", type="build", when="+tests")

    extends("python", when="+python")
    with when("+python"):
        depends_on("python@3.10:", type=("build", "run"))
        depends_on("py-numpy", type=("build", "run"))
        depends_on("py-matplotlib", type="run")
        depends_on("py-mpi4py", type="run", when="+mpi")

    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos +cuda +wrapper cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")

    def cmake_args(self):
        args = [
            self.define_from_variant("KAON_MPI", "mpi"),
            self.define_from_variant("KAON_PYTHON", "python"),
            self.define_from_variant("KAON_BUILD_TESTS", "tests"),
            self.define_from_variant("KAON_REQUIRE_CUDA", "cuda"),
            self.define("KAON_BUILD_PERF", False),
            self.define("KAON_BUILD_EXAMPLES", False),
            self.define("KAON_NATIVE_ARCH", False),
            self.define("KAON_CCACHE", False),
        ]
        if self.spec.satisfies("+python"):
            args.append(self.define("KAON_PYTHON_INSTALL_DIR", python_platlib))
        if self.spec.satisfies("+quda_headers"):
            args.append(self.define("KAON_QUDA_HEADERS", self.spec["quda"].prefix.include))
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["kokkos"].kokkos_cxx))
        return args
