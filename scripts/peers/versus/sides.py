"""The two sides of a comparison. Each measures itself in a fresh process."""

import csv
import json
import os
import shutil
import socket
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Optional

from versus import launch

PEERS = Path(__file__).resolve().parents[1]
RAISED = {"MALLOC_TRIM_THRESHOLD_": "8589934592", "MALLOC_MMAP_THRESHOLD_": "8589934592"}


@dataclass(frozen=True)
class Measured:
    """One round of one side. For ddlbench it also has the FLOPs of a step, the peak memory that the device of a rank
    handed out (the case fails if that is not the planned peak), and the seconds of each part of a step from the
    records' budget, measured and predicted."""
    step_seconds: float
    peak_resident_bytes: int
    steps: int
    flops: float = 0.0
    allocated_bytes: int = 0
    parts: dict = field(default_factory=dict)


@dataclass(frozen=True)
class DdlbenchSide:
    """The ddlbench binary with a strategy, by default `single`, or `ddp` on several ranks."""
    binary: Path
    folder: Path
    ranks: int = 1
    threads: int = 2
    transport: str = "threads"
    strategy: str = ""

    @property
    def kind(self):
        return self.strategy or ("single" if self.ranks == 1 else "ddp")

    @property
    def name(self):
        over = f" over {self.transport}" if self.ranks > 1 else ""
        return f"ddlbench {self.kind}{over}, {self.ranks} x {self.threads}"

    def config(self, workload, precision, steps):
        return {
            "name": "peers",
            "workload": {"model": workload.ours(), "dataset": workload.dataset(), "global_batch": workload.batch},
            "training": {"epochs": 1, "precision": precision, "seed": 1, "optimizer": workload.optimizer},
            "devices": {"kind": "cpu", "ranks": [self.ranks], "threads_per_rank": self.threads,
                        "transport": self.transport},
            "strategies": [{"kind": self.kind, **workload.settings}],
            "measure": {"warmup_steps": 2, "steps": steps, "repetitions": 1, "verify_steps": 0,
                        "interleave": False, "timeout_seconds": 1200},
        }

    def command(self, workload, precision):
        named = f"-{self.strategy}" if self.strategy else ""
        name = f"{workload.model}-{precision}{named}-{self.ranks}x{self.threads}-{self.transport}"
        return [self.binary, "run", "--quiet", "--config", self.folder / f"{name}.json", "--output", self.folder / name]

    def written(self, workload, precision, steps):
        """Writes the configuration and removes earlier records. Returns the command."""
        command = self.command(workload, precision)
        config, output = command[-3], command[-1]
        self.folder.mkdir(parents=True, exist_ok=True)
        config.write_text(json.dumps(self.config(workload, precision, steps), indent=2) + "\n")
        shutil.rmtree(output, ignore_errors=True)
        return command

    def measure(self, workload, precision, steps):
        command = self.written(workload, precision, steps)
        launch.run(command)
        return read_records(command[-1], steps)


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_records(folder, steps):
    """Reads the records of a case. Memory is the peak of the whole case, including the choice of kernels and the
    prediction: for one process as the system reports it, for several processes their sum as ddlbench sampled it once a
    second."""
    (case,) = table(folder / "cases.csv")
    if case["status"] != "ok":
        raise launch.Failed(f"the case is {case['status']}: {case['status_reason']}")
    flops = sum(float(row["flops_per_step"] or 0) for row in table(folder / "ranks.csv") if row["role"] == "every rank")
    resident = int(case["case_resident_peak_bytes"])
    if case["transport"] == "mpi" and int(case["ranks"]) > 1:
        resident = max(int(row["resident_bytes"]) for row in table(folder / "utilisation.csv"))
    parts = {column.replace("budget_", "")[:-len("_seconds")]: float(value) for column, value in case.items()
             if value and (column.startswith(("budget_", "predicted_budget_")) or column == "predicted_step_seconds")}
    return Measured(float(case["step_seconds"]), resident, steps, flops, int(case["peak_memory_bytes"]), parts)


@dataclass(frozen=True)
class TorchSide:
    """A way to run PyTorch. `form`: plain f32; autocast; or masters, a 16-bit network with f32 weights beside it.
    `stock`: as it is by default, without raised thresholds and fused optimizers."""
    python: str
    version: str
    layout: str = "contiguous"
    compiled: bool = False
    form: str = "plain"
    stock: bool = False
    ranks: int = 1
    threads: int = 2
    cache: Optional[Path] = None  # folder for compiled code
    schedule: str = ""  # of torch.distributed.pipelining; otherwise several ranks use DDP

    @property
    def name(self):
        words = ["compile" if self.compiled else "eager"]
        words += ["channels_last"] if self.layout == "channels_last" else []
        words += [self.form] if self.form != "plain" else []
        words += ["stock"] if self.stock else []
        words += [f"{self.schedule or 'DDP'} over gloo, {self.ranks} x {self.threads}"] if self.ranks > 1 else []
        return f"torch {self.version} {' '.join(words)}"

    def variables(self):
        variables = {"OMP_NUM_THREADS": str(self.threads)}
        if not self.stock:
            variables.update(RAISED)
        if self.compiled:
            variables["TORCHINDUCTOR_CACHE_DIR"] = str(self.cache)
        return variables

    def command(self, workload, precision, seconds=3.0):
        told = {"workload": asdict(workload), "precision": precision, "layout": self.layout, "compiled": self.compiled,
                "form": self.form, "stock": self.stock, "ranks": self.ranks, "threads": self.threads,
                "schedule": self.schedule, "seconds": seconds, "warmup_steps": 2}
        return [self.python, "-B", PEERS / "torch_step.py", json.dumps(told, separators=(",", ":"))]

    def measure(self, workload, precision, seconds):
        command = self.command(workload, precision, seconds)
        port = str(free_port())
        ranks = [(command, {"RANK": str(rank), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port})
                 for rank in range(self.ranks)]
        all_ended = launch.together(ranks, self.variables())
        told = json.loads(all_ended[0].output.strip().splitlines()[-1])
        return Measured(told["step_seconds"], sum(ended.peak_resident_bytes for ended in all_ended), told["steps"])


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def version_of(python):
    """Returns the versions of torch and torchvision of a Python; None if it lacks them."""
    if not os.access(python, os.X_OK):
        return None
    try:
        said = launch.run([python, "-c", "import torch, torchvision; print(torch.__version__, torchvision.__version__)"])
    except launch.Failed as failed:
        print(f"{python}: {failed}".splitlines()[0], file=sys.stderr)
        return None
    return said.output.split()
