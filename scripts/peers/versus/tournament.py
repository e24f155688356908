"""Finds the fastest way of running PyTorch for a workload on this machine, today."""

import sys
from dataclasses import dataclass, field

from versus import launch
from versus.estimates import median
from versus.sides import TorchSide


@dataclass
class Entry:
    side: TorchSide
    seconds: list = field(default_factory=list)
    resident: list = field(default_factory=list)
    refused: str = ""

    @property
    def step_seconds(self):
        return median(self.seconds) if self.seconds and not self.refused else None


def ways(python, version, workload, precision, ranks, threads, cache):
    """Returns all ways to try with one Python: each form and layout, eager and compiled (with torch 2.0 or newer, but
    not with DDP, where compiling gains nothing over gloo), all with raised thresholds; and eager with stock
    settings."""
    forms = ["plain"] if precision == "fp32" else ["autocast", "masters"]
    layouts = ["contiguous"] if workload.is_text else ["contiguous", "channels_last"]
    compiles = [False] if ranks > 1 or int(version.split(".")[0]) < 2 else [False, True]
    found = [TorchSide(python, version, layout, compiled, form, False, ranks, threads, cache)
             for form in forms for compiled in compiles for layout in layouts]
    stock = TorchSide(python, version, form=forms[0], stock=True, ranks=ranks, threads=threads, cache=cache)
    return [stock] + found


def ways_of_all(pythons, workload, precision, ranks, threads, cache):
    """Returns the ways to try with all of {Python: [versions of torch and torchvision]}."""
    return [side for python, (torch, _) in pythons.items()
            for side in ways(python, torch, workload, precision, ranks, threads, cache)]


def measure_rounds(sides, workload, precision, passes, seconds):
    """Runs every side once in each pass. A side that is far behind in the first pass is not run again."""
    entries = [Entry(side) for side in sides]
    for number in range(passes):
        best = min((entry.step_seconds for entry in entries if entry.step_seconds), default=0)
        for entry in entries:
            if entry.refused or (number and entry.step_seconds > 1.5 * best and not entry.side.stock):
                continue
            try:
                measured = entry.side.measure(workload, precision, seconds)
            except launch.Failed as failed:
                entry.refused = str(failed).splitlines()[-1]
                print(f"  {entry.side.name}: {entry.refused}", file=sys.stderr, flush=True)
                continue
            entry.seconds.append(measured.step_seconds)
            entry.resident.append(measured.peak_resident_bytes)
            print(f"  {entry.side.name}: {workload.rate(measured.step_seconds):.4g} {workload.unit}/s, "
                  f"{measured.peak_resident_bytes / 1e9:.2f} GB", file=sys.stderr, flush=True)
    return entries


def best_of(entries, stock):
    """Returns the fastest of the entries that are stock, or of those that are not; None if none ran."""
    ran = [entry for entry in entries if entry.side.stock == stock and entry.step_seconds is not None]
    return min(ran, key=lambda entry: entry.step_seconds, default=None)
