"""Compares steps of ddlbench and of PyTorch, eager and compiled, which take turns on one GPU. The workloads are those
of scripts/peers/versus for processors, with batches for a GPU."""

import functools
import json
import os
import queue
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import figures
from experiments import dry_run
from processes import OutOfTime, end

PEERS = Path(__file__).resolve().parents[1] / "peers"
sys.path.insert(0, str(PEERS))

from versus import launch, sides, workloads  # noqa: E402
from versus.estimates import median, paired  # noqa: E402

BATCHES = {"resnet50": {"batch": 256, "settings": {}}, "gpt2-small": {"batch": 8, "units_per_sample": 1024, "settings": {}}}
TURN_SECONDS = 2.0
ROUNDS = 9


def workload_of(model):
    return replace(workloads.ALL[model], **BATCHES[model])


@functools.lru_cache(maxsize=None)
def torch_python():
    """Returns the first Python that has torch and torchvision, and the version of torch; (None, "") if there is
    none."""
    for python in os.environ.get("DDLBENCH_TORCH_PYTHON", f"{sys.executable} /usr/bin/python3").split():
        try:
            asked = subprocess.run([python, "-c", "import torch, torchvision; print(torch.__version__)"], capture_output=True,
                                   text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if asked.returncode == 0:
            return python, asked.stdout.strip()
    return None, ""


@dataclass(frozen=True)
class DdlbenchSide(sides.DdlbenchSide):
    """ddlbench on a GPU, within the runner's time and with its environment."""
    runner: object = None

    def config(self, workload, precision, steps):
        whole = super().config(workload, precision, steps)
        whole["devices"].update(kind="cuda")
        whole["measure"].update(predict=False, train=False)  # ResNet-50's prediction would take 20 s
        return whole

    def measure(self, workload, precision, steps):
        command = self.written(workload, precision, steps)
        said, code = self.runner(command)
        if code != 0:
            raise launch.Failed(f"ddlbench ended with {code}: {said.strip()[-300:]}")
        return sides.read_records(command[-1], steps).step_seconds


class TorchSide:
    """PyTorch in one process that lives through all rounds."""

    def __init__(self, python, workload, precision, compiled, runner, device="cuda"):
        self.name = "compile" if compiled else "eager"
        self.runner = runner
        told = {"workload": asdict(workload), "precision": precision, "compiled": compiled, "stock": False, "ranks": 1,
                "layout": "contiguous" if workload.is_text else "channels_last", "device": device, "warmup_steps": 5,
                "form": "autocast" if precision == "bf16" else "plain"}
        self.process = subprocess.Popen([python, "-B", PEERS / "torch_turns.py", json.dumps(told)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(runner.log, "ab"),
                                        start_new_session=True)
        self.answers = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        """Queues its lines of JSON, and None at its end. Other output, which comes from libraries, is ignored."""
        for line in self.process.stdout:
            if line.startswith("{"):
                self.answers.put(json.loads(line))
        self.answers.put(None)

    def answer(self, seconds):
        """Returns its next line. Raises OutOfTime, or Failed if it has ended."""
        try:
            told = self.answers.get(timeout=max(0.0, seconds))
        except queue.Empty:
            raise OutOfTime(f"PyTorch {self.name}") from None
        if told is None:
            raise launch.Failed(f"PyTorch {self.name} ended with {self.process.wait()} (see the log)")
        return told

    def turn(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return self.answer(self.runner.left())["step_seconds"]


@dataclass(frozen=True)
class Speed:
    model: str
    precision: str

    def run(self, context):
        python, version = torch_python()
        if python is None:
            return figures.not_run("no Python here has torch and torchvision (name one in DDLBENCH_TORCH_PYTHON)")
        workload, runner = workload_of(self.model), context.runner
        ours = DdlbenchSide(context.program("ddlbench"), context.scratch / "speed", threads=1, runner=runner)
        peers, ready, refused = [], [], {}
        try:
            for compiled in (False, True):
                peers.append(TorchSide(python, workload, self.precision, compiled, runner))
            for peer in peers:
                try:
                    peer.answer(runner.left() * 0.6)
                    ready.append(peer)
                except (OutOfTime, launch.Failed) as error:
                    refused[peer.name] = str(error)
                    end(peer.process)
            rounds = self.rounds(ours, workload, ready, runner)
        finally:
            for peer in peers:
                end(peer.process)
        return self.result(rounds, [peer.name for peer in ready], refused, version)

    def rounds(self, ours, workload, ready, runner):
        """Returns [[seconds of a step of ddlbench, of each peer]] for as many rounds as there is time, at least one."""
        steps = max(5, int(TURN_SECONDS / ours.measure(workload, self.precision, 5)))  # also caches kernel choices
        rounds, longest = [], 0.0
        while len(rounds) < ROUNDS and (not rounds or runner.left() > 1.3 * longest):
            began = time.monotonic()
            try:
                took = [ours.measure(workload, self.precision, steps), *(peer.turn(TURN_SECONDS) for peer in ready)]
            except (OutOfTime, launch.Failed):
                if not rounds:
                    raise
                break
            rounds.append(took)
            longest = max(longest, time.monotonic() - began)
        return rounds

    def result(self, rounds, names, refused, version):
        workload = workload_of(self.model)
        columns = list(zip(*rounds))
        rate = workload.rate(median(columns[0]))
        ratios = {name: paired(column, columns[0]) for name, column in zip(names, columns[1:])}
        words = [f"{one.value:.2f} ({one.low:.2f}–{one.high:.2f}) of {name}'s" for name, one in ratios.items()]
        words += [f"{name}: {why}" for name, why in refused.items()]
        if not ratios:
            return figures.failed(f"{rate:,.0f} {workload.unit}/s, but nothing to compare with: {'; '.join(words)}")
        return figures.run(f"{rate:,.0f} {workload.unit}/s; {'; '.join(words)}; {len(rounds)} rounds, PyTorch {version}",
                           step_seconds={name: list(column) for name, column in zip(["ddlbench", *names], columns)},
                           batch=workload.batch, torch=version)

    def rehearse(self, context):
        ours = DdlbenchSide(context.program("ddlbench"), context.scratch / "speed", threads=1, runner=context.runner)
        config = ours.written(workload_of(self.model), self.precision, 5)[-3]
        python, version = torch_python()
        beside = f"PyTorch {version}" if python else "PyTorch, which no Python here has"
        return f"{dry_run(context, self.model, '--config', config)} beside {beside}"
