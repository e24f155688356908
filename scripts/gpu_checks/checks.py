"""The checks, in the order in which they run and stand in docs/gpu.md."""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import experiments
import programs


@dataclass(frozen=True)
class Context:
    root: Path
    build: Path   # with CUDA
    output: Path  # figures, records and logs
    gpus: int


@dataclass(frozen=True)
class Check:
    id: str
    title: str
    run: Callable  # (Context) -> what figures.py makes
    gpus: int = 1  # that it needs


CHECKS = [
    Check("tests", "Tests labelled `gpu`", programs.tests),
    *(Check(tool, f"`compute-sanitizer --tool {tool}` over them", programs.sanitizer(tool))
      for tool in ("memcheck", "racecheck", "initcheck")),
    *(Check(f"strategies-{ranks}", f"Every strategy on {ranks} ranks of one GPU, certified", experiments.strategies(ranks))
      for ranks in (2, 4, 8)),
    Check("quickstart", "`configs/quickstart.json` on GPUs", experiments.config("quickstart")),
    Check("text", "`configs/text.json` on GPUs", experiments.config("text")),
    Check("launch", "Launch overhead of a steady step of 1000 tiny ops, with and without a graph", programs.launch),
    Check("bandwidth", "Bytes per second of each own kernel, of the memory's rate (goal 0.85)", programs.bandwidth),
    *(Check(f"nccl-{gpus}", f"Data, sharded and tensor parallel over NCCL on {gpus} GPUs, certified",
            experiments.over_nccl(gpus), gpus) for gpus in (2, 4, 8)),
    Check("bus", "Bus bandwidth of an all-reduce over NCCL beside nccl-tests'", programs.bus, 2),
]
