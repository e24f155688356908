"""Kills and stops processes of runs at random times: every run must end in time, name what was lost and leave no process.

    faults.py BINARY [TRIALS [SEED]]

Trials go through all kinds of faults in random order. A kind is a signal, a process, and who started the ranks: `threads`
and `mpi` are runs that ddlbench started; `launcher` is one under a user's own mpiexec.
"""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import uuid

TRIALS = int(sys.argv.pop(2)) if len(sys.argv) > 2 else 6
SEED = int(sys.argv.pop(2)) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)

from harness import BINARY, lasting, rows_of, wait_until  # noqa: E402 (the import takes the binary from the arguments)

TIMEOUT_SECONDS = 5
TIME_TO_END_SECONDS = 10
MARK = "DDLBENCH_FAULT_TRIAL"

VICTIMS = {
    "threads": ["worker", "supervisor"],
    "mpi": ["rank 0", "rank 1", "guard 0", "guard 1", "proxy", "mpiexec", "supervisor"],
    "launcher": ["rank 0", "rank 1", "guard 0", "guard 1", "proxy", "mpiexec"],
}
KINDS = [(number, start, victim) for start, victims in VICTIMS.items() for victim in victims
         for number in (signal.SIGKILL, signal.SIGSTOP)]


def nothing_is_lost(kind):
    """Whether the run survives: a stopped guard only waits, and a stopped launcher continues later."""
    number, start, victim = kind
    return start == "launcher" and number == signal.SIGSTOP and victim in ("guard 0", "guard 1", "mpiexec")


def experiment(kind, time_out):
    config = lasting()
    config["strategies"] = [config["strategies"][1] | {"microbatches": 16}]
    del config["devices"]["throttle"]
    config["training"]["epochs"] = 800 if nothing_is_lost(kind) else 100000
    config["workload"]["dataset"]["train_samples"] = 800
    config["devices"]["transport"] = "threads" if kind[1] == "threads" else "mpi"
    config["measure"]["timeout_seconds"] = time_out
    return config


class Process:
    """A process with the trial's mark in its environment, as /proc describes it."""

    def __init__(self, number, environment):
        self.id = number
        self.variables = dict(word.split("=", 1) for word in environment.split("\0") if "=" in word)
        stat = pathlib.Path(f"/proc/{number}/stat").read_text()
        self.state, self.parent = stat.rsplit(")", 1)[1].split()[:2]
        self.parent = int(self.parent)


def processes_of(mark):
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            environment = (folder / "environ").read_text(errors="replace")
            if f"{MARK}={mark}\0" in environment:
                found[int(folder.name)] = Process(int(folder.name), environment)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return {number: process for number, process in found.items() if process.state not in "ZX"}


def children(process, found):
    return [other.id for other in found.values() if other.parent == process]


def only(items):
    return items[0] if len(items) == 1 else None


def find(kind, first, found):
    """Returns the id of the process to disturb; None if it does not exist yet."""
    _, start, victim = kind
    if victim == "supervisor":
        return first
    if start == "threads":
        return only(children(first, found))
    mpiexec = first if start == "launcher" else only(children(first, found))
    proxy = only(children(mpiexec, found)) if mpiexec else None
    if victim in ("mpiexec", "proxy"):
        return mpiexec if victim == "mpiexec" else proxy
    what, rank = victim.split()
    guard = only([number for number in children(proxy, found) if found[number].variables.get("PMI_RANK") == rank])
    return guard if what == "guard" or guard is None else only(children(guard, found))


class Trial:
    def __init__(self, kind, moment, folder):
        self.kind = kind
        self.number, self.start, self.victim = kind
        self.moment = moment
        self.folder = folder
        self.mark = uuid.uuid4().hex
        self.out = folder / "out"

    def __str__(self):
        return f"{self.number.name} {self.victim}, {self.start}, after {self.moment:.2f} s"

    def run(self):
        (self.folder / "experiment.json").write_text(json.dumps(experiment(self.kind, TIMEOUT_SECONDS)))
        words = [BINARY, "--config", "experiment.json", "--output", "out"]
        if self.start == "launcher":
            words = ["mpiexec", "-n", "2", *words]
        with open(self.folder / "stdout", "w") as stdout, open(self.folder / "stderr", "w") as stderr:
            process = subprocess.Popen(words, cwd=self.folder, env=os.environ | {MARK: self.mark}, stdout=stdout,
                                       stderr=stderr, stdin=subprocess.DEVNULL)
        try:
            self.disturb(process)
            self.see_it_end(process)
            self.check(process.returncode)
        finally:
            for left in processes_of(self.mark):
                os.kill(left, signal.SIGKILL)
            process.wait()

    def disturb(self, process):
        journal = self.out / "journal.jsonl"
        wait_until(lambda: journal.exists() and '"kind":"utilisation"' in journal.read_text(), "the case's begin")
        self.pid = wait_until(lambda: find(self.kind, process.pid, processes_of(self.mark)), self.victim)
        if self.start == "mpi":
            wait_until(self.ranks_are_known, "both ranks, of which nobody could tell that they were lost before")
        time.sleep(self.moment)
        os.kill(self.pid, self.number)
        self.disturbed = time.monotonic()

    def ranks_are_known(self):
        said = "".join(log.read_text(errors="replace") for log in (self.out / "log").glob("*.log"))
        return all(f"rank {rank}: process" in said for rank in (0, 1))

    def see_it_end(self, process):
        if self.victim == "supervisor" and self.number == signal.SIGSTOP:
            time.sleep(1)
            process.kill()
        if nothing_is_lost(self.kind):
            if self.victim == "mpiexec":
                time.sleep(1)
                os.kill(process.pid, signal.SIGCONT)
            wait_until(lambda: '"kind":"case"' in (self.out / "journal.jsonl").read_text(), "the end of the case")
            self.disturbed = time.monotonic()
        self.wait(lambda: process.poll() is not None, "the run")
        self.seconds = time.monotonic() - self.disturbed
        self.wait(lambda: not processes_of(self.mark), "all processes")

    def wait(self, condition, what):
        deadline = self.disturbed + TIMEOUT_SECONDS + TIME_TO_END_SECONDS
        while not condition():
            assert time.monotonic() < deadline, f"{what} did not end; there are {sorted(processes_of(self.mark))}"
            time.sleep(0.02)

    def check(self, code):
        self.check_journal()
        if nothing_is_lost(self.kind):
            assert rows_of(self.out / "cases.csv")[0]["status"] == "ok", "nothing was lost"
            assert code == 0, f"it ended with {code} though nothing was lost"
            return
        assert code != 0, "it ended with 0"
        where, what = self.named()
        assert re.search(what, where), f"/{what}/ is not in: {where[-1000:]}"
        lines = (self.folder / "stderr").read_text().splitlines()
        assert sum(line.startswith("ddlbench: ") and "the run ends here" in line for line in lines) <= 1, lines[-5:]

    def check_journal(self):
        text = (self.out / "journal.jsonl").read_text()
        for line in text[:text.rfind("\n") + 1].splitlines():
            json.loads(line)

    def named(self):
        """Returns an output and a pattern that it must contain. If the supervisor or the launcher was killed, no process is
        left to report the fault; without the launcher's proxy, reports cannot be forwarded; a killed guard is reported by
        the launcher."""
        if self.victim == "supervisor":
            return "", ""
        if self.start == "launcher" and self.number == signal.SIGKILL and not self.victim.startswith("rank"):
            return "", ""
        errors = (self.folder / "stderr").read_text()
        if self.start == "launcher":
            if self.number == signal.SIGSTOP and self.victim == "rank 1":
                return rows_of(self.out / "cases.csv")[0]["status_reason"], r"rank 1\b"
            return errors, rf"ddlbench: .*(\b{self.victim}\b|process {self.pid} on .* remained stopped)"
        row = rows_of(self.out / "cases.csv")[0]
        reason = f"{row['status']}: {row['status_reason']}"
        if self.start == "threads":
            return reason, "crashed: killed by signal 9" if self.number == signal.SIGKILL else f"process {self.pid} was"
        what = self.victim if self.victim.startswith("rank") else f"process {self.pid}"
        what = what.replace("guard ", "the guard of rank ")
        return reason, rf"(lost_rank|crashed): .*{what}.* (was|on)"


def main():
    print(f"{TRIALS} trials, seed {SEED}", flush=True)
    draw = random.Random(SEED)
    kinds = []
    while len(kinds) < TRIALS:
        kinds += draw.sample(KINDS, len(KINDS))
    failed = 0
    for kind in kinds[:TRIALS]:
        with tempfile.TemporaryDirectory(prefix="ddlbench-fault-") as folder:
            trial = Trial(kind, draw.uniform(0, 1.5), pathlib.Path(folder))
            try:
                trial.run()
                print(f"ok: {trial}: ended {trial.seconds:.1f} s later", flush=True)
            except Exception:  # pylint: disable=broad-except (the other trials continue after any error)
                failed += 1
                print(f"FAILED: {trial}\n{traceback.format_exc()}", flush=True)
                for name in ("stderr", "out/cases.csv"):
                    if (trial.folder / name).exists():
                        print(f"--- {name}\n{(trial.folder / name).read_text()[-1000:]}", flush=True)
    print(f"{TRIALS - failed} of {TRIALS} held")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
