#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# Open MPI 4.1.4: mpirun does not forward SIGTERM and SIGINT to its processes.
#
# mpirun sends SIGCONT at once, SIGTERM after one second and SIGKILL after two, and returns 1 whatever the processes
# return. A process that wants to write its state has one second, not the whole time that a batch system gives to mpirun.
# SIGUSR1 is forwarded at once, the processes may take any time, and mpirun returns their exit code. The parameter
# odls_base_sigkill_timeout sets both waits, so that a longer one delays SIGTERM as well.
#
# The script unpacks Debian's packages and runs a Python program under mpirun. It fails if the behaviour changes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
# hwloc, libevent and PMIx are those of the machine.
take_lists bookworm
unpack root openmpi-bin=4.1.4-3+b1 libopenmpi3=4.1.4-3+b1 openmpi-common=4.1.4-3
export OPAL_PREFIX=$folder/root/usr LD_LIBRARY_PATH=$folder/root/usr/lib/$(uname -m)-linux-gnu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mca_base_component_path=$LD_LIBRARY_PATH/openmpi/lib/openmpi3
mpirun=$folder/root/usr/bin/orterun
"$mpirun" --version | head -1

cat >process.py <<'P'
import signal, sys, time

def received(number, frame):
    print("received", signal.Signals(number).name, "%.2f" % time.time(), flush=True)

for number in (signal.SIGCONT, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
    signal.signal(number, received)
print("started", flush=True)
end = time.time() + 5
while time.time() < end:
    time.sleep(0.05)
    with open("alive", "w") as file:
        file.write(str(time.time()))
sys.exit(7)
P

cat >check.py <<'P'
import signal, subprocess, sys, time

def run(number):
    log = open("said", "w+")
    process = subprocess.Popen([sys.argv[1], "-n", "1", sys.executable, "process.py"], stdout=log, stderr=log,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while "started" not in open("said").read():
        assert process.poll() is None, open("said").read()
        time.sleep(0.05)
    time.sleep(0.3)
    sent = time.time()
    process.send_signal(number)
    code = process.wait()
    words = [line.split() for line in open("said") if line.startswith("received")]
    times = {word[1]: float(word[2]) - sent for word in words}
    alive = float(open("alive").read()) - sent
    print(number.name, {name: "after %.1f s" % at for name, at in times.items()},
          "last alive after %.1f s, mpirun returns %d" % (alive, code))
    return times, alive, code

for number in (signal.SIGTERM, signal.SIGINT):
    times, alive, code = run(number)
    assert set(times) == {"SIGCONT", "SIGTERM"} and times["SIGCONT"] < 0.7, times
    assert 0.8 < times["SIGTERM"] < 1.7 and alive < 3.0 and code == 1, (times, alive, code)
times, alive, code = run(signal.SIGUSR1)
assert times["SIGUSR1"] < 0.7 and "SIGTERM" not in times and alive > 3.0 and code == 7, (times, alive, code)
P
python3 check.py "$mpirun"
