"""The checks, in slots of at most eight minutes. Those of a slot that time nothing run side by side, and then the others
run one after another."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import experiments
import programs
from experiments import Config, Experiments
from processes import Runner
from programs import Benchmark, Sanitizer, Tests
from speed import Speed

SLOT_SECONDS = 480
SLOTS = {1: "correct results", 2: "launches, memory, strategies on one GPU", 3: "speed beside PyTorch",
         4: "memory errors and races in ddlbench's own kernels", 5: "whole experiments, and NCCL on several GPUs"}


@dataclass(frozen=True)
class Context:
    root: Path      # of the checkout, or of an unpacked archive
    build: Path     # built with CUDA
    scratch: Path   # for configurations and records
    runner: Runner
    gpus: int = 0

    def program(self, name):
        path = self.build / name
        if not path.exists():
            raise ValueError(f"the build has no {name}")
        return path


@dataclass(frozen=True)
class Check:
    slot: int
    seconds: int  # that it may take, at most; those that run side by side share their seconds
    id: str
    title: str
    work: Any     # run(context) returns a result of figures.py, rehearse(context) a text
    gpus: int = 1  # number that it needs
    timed: bool = False


def strategies(ranks):
    return Experiments(experiments.every_strategy(ranks), every_strategy=True)


def few_steps(name, workload):
    return Experiments(experiments.few_steps(f"gpu-{name}", workload, "bf16"), command="run", certified=False)


CHECKS = [
    Check(1, 30, "plans", "Tests of cuDNN's and cuBLASLt's plans with the libraries of that machine",
          Tests("test_kernels_cuda", needs_gpu=False)),
    Check(1, 180, "tests", "Tests of every op against the reference, of streams, recording and memory",
          Tests("test_kernels_gpu")),
    Check(1, 90, "resnet50", "Steps of ResNet-50 in bf16, batch 128", few_steps("resnet50", experiments.RESNET50), timed=True),
    Check(1, 60, "gpt2-small", "Steps of GPT-2 small in bf16, 8 × 1024 tokens",
          few_steps("gpt2-small", experiments.GPT2_SMALL), timed=True),
    Check(1, 40, "tests-nccl", "Tests of NCCL (those with several ranks need as many GPUs)", Tests("test_comm_gpu")),
    Check(1, 80, "precisions", "Strategies in TF32, bf16 and fp16 on 2 ranks of one GPU, certified",
          Experiments(experiments.every_precision(2))),
    Check(2, 20, "launch", "Launch overhead of a steady step of 1000 tiny ops, with and without a graph",
          Benchmark(programs.launch, "micro_engine"), timed=True),
    Check(2, 110, "bandwidth", "Bytes per second of each ddlbench kernel as a share of the memory bandwidth (goal 0.85)",
          Benchmark(programs.bandwidth, "micro_memory"), timed=True),
    *(Check(2, seconds, f"strategies-{ranks}", f"Every strategy on {ranks} ranks of one GPU, certified", strategies(ranks))
      for ranks, seconds in ((2, 100), (4, 110), (8, 140))),
    *(Check(3, seconds, f"speed-{model}-{precision}", f"{title}, {precision}, compared with PyTorch, eager and compiled",
            Speed(model, precision), timed=True)
      for precision in ("bf16", "fp32") for model, title, seconds in
      (("resnet50", "ResNet-50, batch 256", 150), ("gpt2-small", "GPT-2 small, 8 × 1024 tokens", 90))),
    *(Check(4, seconds, tool, f"`compute-sanitizer --tool {tool}` over ddlbench's own kernels in the tests",
            Sanitizer(tool))
      for tool, seconds in (("memcheck", 220), ("racecheck", 130), ("initcheck", 130))),
    Check(5, 40, "text", "`configs/text.json` on GPUs", Config("text", ("data/GPL-3", "/usr/share/common-licenses/GPL-3")),
          timed=True),
    Check(5, 50, "quickstart", "`configs/quickstart.json` on GPUs", Config("quickstart", ("/usr/share/datasets/fashion-mnist",)),
          timed=True),
    *(Check(5, 100, f"nccl-{gpus}", f"Data, sharded and tensor parallel over NCCL on {gpus} GPUs, certified",
            Experiments(experiments.over_nccl(gpus)), gpus) for gpus in (2, 4, 8)),
    Check(5, 60, "bus", "Bus bandwidth of an all-reduce over NCCL beside nccl-tests'",
          Benchmark(programs.bus, "micro_comm_nccl"), 2, timed=True),
]
PROGRAMS = ["ddlbench", "tests/test_kernels_cuda", "tests/test_kernels_gpu", "tests/test_comm_gpu", "bench/micro_engine",
            "bench/micro_memory", "bench/micro_comm_nccl"]
