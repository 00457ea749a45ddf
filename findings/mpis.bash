# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# What findings about MPI begin with: Open MPI 4.1.4 and MPICH 4.0.2 of Debian 12 with what they load.

source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists bookworm
unpack openmpi {openmpi-bin,libopenmpi3,libopenmpi-dev}=4.1.4-3+b1 openmpi-common=4.1.4-3 libhwloc15=2.9.0-1 \
  libpmix2=4.2.2-1+deb12u1 {libevent-core,libevent-pthreads}-2.1-7=2.1.12-stable-8
unpack mpich {mpich,libmpich12,libmpich-dev}=4.0.2-3+b1 libhwloc15=2.9.0-1 libucx0=1.13.1-1 libslurm38=22.05.8-4+deb12u3
lib=usr/lib/$(uname -m)-linux-gnu

# compile_for_mpis OPTION...: program_openmpi and program_mpich of program.c
compile_for_mpis() {
  local link=(-Wl,--allow-shlib-undefined -lm)
  gcc "$@" -I "openmpi/$lib/openmpi/include" program.c -o program_openmpi "openmpi/$lib/libmpi.so.40" "${link[@]}"
  gcc "$@" -I "mpich/$lib/mpich/include" program.c -o program_mpich "mpich/$lib/libmpich.so.12" "${link[@]}"
}

# run_by_openmpi PROCESSES, run_by_mpich PROCESSES: these programs
run_by_openmpi() {
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPAL_PREFIX=$folder/openmpi/usr LD_LIBRARY_PATH=$folder/openmpi/$lib \
    OMPI_MCA_mca_base_component_path=$folder/openmpi/$lib/openmpi/lib/openmpi3 \
    openmpi/usr/bin/orterun --oversubscribe -n "$1" ./program_openmpi
}
run_by_mpich() {
  LD_LIBRARY_PATH=$folder/mpich/$lib:$folder/mpich/$lib/slurm-wlm mpich/usr/bin/mpiexec.hydra -launcher fork -n "$1" ./program_mpich
}
