"""results/cluster/slurm.sh as an array of jobs of Slurm's own daemons, on this machine alone.

    NCPBENCH=build/ncpbench python3 tests/slurm.py

Takes root and Debian's munge, slurmctld, slurmd, slurm-client; skipped by name without them.
"""
import os
import shutil
import socket
import subprocess
import sys
import time
import unittest

from cli_case import PATIENCE, PROGRAM, Case
from sweeps import RUNS, SWEEP, assert_same

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")
SCRIPT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results/cluster/slurm.sh")
CONFIGURATION = """ClusterName=ncpbench
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES State=UP
"""


def free_ports(count):
    places = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [place.getsockname()[1] for place in places]
    for place in places:
        place.close()
    return ports


class Slurm(Case):
    def setUp(self):
        super().setUp()
        self.daemons = []
        folder, host = self.folder.name, socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            os.mkdir(self.path(name))
        os.chmod(folder, 0o755)
        with open(os.open(self.path("munge.key"), os.O_CREAT | os.O_WRONLY, 0o400), "wb") as key:
            key.write(os.urandom(128))
        with open(self.path("slurm.conf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(folder=folder, host=host, ports=free_ports(2), cpus=os.cpu_count()))
        self.settings = {**os.environ, "SLURM_CONF": self.path("slurm.conf"), "NCPBENCH": PROGRAM}
        parts = [f"--{part}={folder}/munge.{end}" for part, end in
                 (("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))]
        self.begin("munged", "--foreground", "--force", *parts)
        self.wait_for(lambda: os.path.exists(self.path("munge.socket")))
        self.begin("slurmctld", "-D")
        self.begin("slurmd", "-D", "-N", host)

    def tearDown(self):
        for process in reversed(self.daemons):
            process.terminate()
            process.wait(timeout=PATIENCE)
        super().tearDown()

    def begin(self, *command):
        self.daemons.append(subprocess.Popen(command, env=self.settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def wait_for(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end)
            self.assertTrue(all(process.poll() is None for process in self.daemons), "a daemon has ended")
            time.sleep(0.1)

    def call(self, *command):
        return subprocess.run(command, cwd=self.folder.name, env=self.settings, capture_output=True, text=True, timeout=PATIENCE, check=False)

    def test_array(self):
        submit = lambda: self.call("sbatch", "--array=1-4", "--requeue", SCRIPT, *SWEEP[1:]).returncode == 0
        self.wait_for(submit)
        self.wait_for(lambda: self.call("squeue", "--noheader").stdout.strip() == "")
        names = [f"sweep-{i}.h5" for i in (1, 2, 3, 4)]
        _, err = self.ncpbench("merge", *names, "-o", "m.h5")
        self.assertIn(f"{RUNS} of {RUNS} runs", err)
        self.ncpbench(*SWEEP, "-o", "whole.h5")
        assert_same(self, "m.h5", "whole.h5")


if __name__ == "__main__":
    missing = [name for name in PROGRAMS if not shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")]
    if missing or os.geteuid() != 0:
        print(f"SKIPPED: {'not installed: ' + ', '.join(missing) if missing else 'takes root'}")
        sys.exit(77)
    os.environ["PATH"] += ":/usr/sbin"
    unittest.main()
