"""A Slurm cluster on this machine: two nodes with host names of their own, as root, without systemd. It is ready within a
second, has its own ports, key and folder, and ends with this process."""

import ctypes
import getpass
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time

import harness

SKIPPED = 77  # exit code of a test that cannot run here
PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "srun", "scancel", "scontrol", "sinfo", "unshare", "mount"]
WAIT_SECONDS = 30

CONFIGURATION = """\
ClusterName=ddlbench
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthInfo=socket={folder}/munge.socket,cred_expire={cred_expire}
SlurmctldPort={ports[0]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
MpiDefault=pmi2
ReturnToService=2
KillWait=5
MinJobAge=600
MaxArraySize=101
GresTypes=gpu
SlurmdParameters=config_overrides
NodeName=n[0-1] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{ports[1]}-{ports[2]}] CPUs={cpus} RealMemory=1000 Gres=gpu:{gpus}
PartitionName=main Nodes=n[0-1] Default=YES MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=5
PartitionName=urgent Nodes=n[0-1] MaxTime=INFINITE State=UP PriorityTier=2 PreemptMode=OFF
"""


class Unavailable(Exception):
    """This machine cannot run a cluster."""


def program(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if path is None:
        raise Unavailable(f"{name} is not installed (packages slurm-wlm and munge)")
    return path


def ports():
    """Returns three free ports, of which the last two follow each other."""
    mine = 20000 + os.getpid() % 2000 * 3  # of another test that starts at the same moment, others
    for first in range(mine, 32000, 6003):
        found = [first, first + 1, first + 2]
        try:
            for port in found:
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port))
        except OSError:
            continue
        return found
    raise Unavailable("no free ports")


def end_with_parent():
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Cluster:
    """A running cluster, as a context: environment is what its commands need."""

    def __init__(self, cpus=4, gpus=4, cred_expire=5):
        if os.geteuid() != 0:
            raise Unavailable("a cluster needs root")
        self.paths = {name: program(name) for name in PROGRAMS}
        if subprocess.run([self.paths["unshare"], "--uts", "--mount", "true"], capture_output=True).returncode != 0:
            raise Unavailable("namespaces are not permitted here")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.host = socket.gethostname().split(".")[0]
        self.daemons = []
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        for name in list(self.environment):  # of a job in which this test may run
            if name.startswith(("SLURM_", "SBATCH_", "SRUN_", "PMI_")) and name != "SLURM_CONF":
                del self.environment[name]
        try:
            self._configure(cpus, gpus, cred_expire)
            self._start()
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def run(self, *words, check=True):
        """Runs a program with the cluster's environment; returns its standard output."""
        done = subprocess.run([str(word) for word in words], env=self.environment, capture_output=True, text=True,
                              timeout=WAIT_SECONDS)
        if check and done.returncode != 0:
            raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def submit(self, *words):
        return self.run("sbatch", "--parsable", *words).strip().split(";")[0]

    def state(self, job):
        states = self.run("squeue", "--noheader", "--array", "--states=all", "--format=%T", f"--jobs={job}").split()
        return " ".join(sorted(set(states)))

    def wait(self, condition, what, seconds=WAIT_SECONDS):
        try:
            return harness.wait_until(condition, what, seconds, pause=0.05)
        except AssertionError as why:
            raise AssertionError(f"{why}\n{self.run('squeue', '--states=all', check=False)}{self.logs()}") from None

    def wait_for_end(self, *jobs, seconds=60):
        ended = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "PREEMPTED", "NODE_FAIL"}
        self.wait(lambda: all(set(self.state(job).split()) <= ended for job in jobs), f"the end of {jobs}", seconds)

    def logs(self):
        return "".join(f"{log.name}:\n{log.read_text()[-1500:]}\n" for log in self.folder.glob("*.log"))

    def stop(self):
        if len(self.daemons) == 4:  # steps are children of no daemon once they run: end them first
            self.run("scancel", f"--user={getpass.getuser()}", check=False)
            deadline = time.monotonic() + 10
            while self.run("squeue", "--noheader", check=False).strip() and time.monotonic() < deadline:
                time.sleep(0.05)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _configure(self, cpus, gpus, cred_expire):
        folder = self.folder
        for name in ["state", "spool-n0", "spool-n1", "dev"]:
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        (folder / "slurm.conf").write_text(CONFIGURATION.format(host=self.host, folder=folder, ports=ports(), cpus=cpus,
                                                                gpus=gpus, cred_expire=cred_expire))
        # Null devices stand for GPUs, so that Slurm sets CUDA_VISIBLE_DEVICES; where none can be made, it only counts.
        try:
            for i in range(gpus):
                os.mknod(folder / f"dev/gpu{i}", stat.S_IFCHR | 0o666, os.makedev(1, 3))
            line = f"File={folder}/dev/gpu[0-{gpus - 1}]"
        except OSError:
            line = f"Count={gpus}"
        (folder / "gres.conf").write_text(f"NodeName=n[0-1] Name=gpu {line}\n")
        (folder / "hosts").write_text(f"127.0.0.1 localhost n0 n1 {self.host}\n")

    def _daemon(self, *words):
        log = open(self.folder / f"daemon-{len(self.daemons)}.log", "wb")
        with log:
            self.daemons.append(subprocess.Popen([str(word) for word in words], env=self.environment, stdin=subprocess.DEVNULL,
                                                 stdout=log, stderr=log, preexec_fn=end_with_parent))

    def _start(self):
        folder, paths = self.folder, self.paths
        self._daemon(paths["munged"], "--foreground", "--num-threads=2", f"--key-file={folder}/munge.key",
                     f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
                     f"--log-file={folder}/munged.log", f"--seed-file={folder}/munge.seed")
        self.wait(lambda: (folder / "munge.socket").exists(), "munged")
        self._daemon(paths["slurmctld"], "-D", "-c")
        for node in ["n0", "n1"]:
            # A host name of its own in its own namespace, which MPI and ddlbench see, and a file in which both resolve.
            self._daemon(paths["unshare"], "--uts", "--mount", "sh", "-c",
                         f"mount --bind {folder}/hosts /etc/hosts && hostname {node} && exec {paths['slurmd']} -D -c -N {node}")
        self.wait(lambda: self.run("sinfo", "--noheader", "--Node", "--partition=main", "--format=%T", check=False).split()
                  == ["idle", "idle"], "two idle nodes")
