"""Rounds: in each one the probes run, and then every side once, one after another."""

import json
import math
import os
import sys
from dataclasses import dataclass

from versus import launch

ROUND_STEPS_AT_LEAST = 3


@dataclass(frozen=True)
class Probe:
    """The speed of the machine at the start of a round, and its load average."""
    matmul_flops: float
    memory_bytes: float
    load: float


@dataclass(frozen=True)
class Round:
    probe: Probe
    measured: tuple  # for each side, in order


def probe(binary, precision, threads):
    told = json.loads(launch.run([binary, "--threads", threads, "--precision", precision]).output)
    return Probe(told["matmul_flops_per_second"], told["memory_bytes_per_second"], os.getloadavg()[0])


def steps_for(seconds, step_seconds):
    return max(ROUND_STEPS_AT_LEAST, math.ceil(seconds / step_seconds))


def measure_rounds(count, take_probe, takes):
    """Measures `count` rounds. `takes` are the sides, as functions without arguments."""
    rounds = []
    for number in range(count):
        rounds.append(Round(take_probe(), tuple(take() for take in takes)))
        seconds = ", ".join(f"{measured.step_seconds:.4g} s" for measured in rounds[-1].measured)
        last = rounds[-1].probe
        print(f"  round {number + 1} of {count}: {seconds}; {last.matmul_flops / 1e9:.0f} GFLOP/s, "
              f"{last.memory_bytes / 1e9:.1f} GB/s, load {last.load:.1f}", file=sys.stderr, flush=True)
    return rounds
