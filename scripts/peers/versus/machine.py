"""Describes the machine and the software of a comparison."""

import os
import platform
from datetime import datetime, timezone
from pathlib import Path

from versus import launch

ROOT = Path(__file__).resolve().parents[3]


def without_this_machine(text):
    """Makes paths independent of this machine: those in this tree become relative to it, the home folder becomes ~."""
    return text.replace(f"{ROOT}/", "").replace(str(Path.home()), "~")


def described(binary):
    """Returns the output of `ddlbench env` by names."""
    found = {}
    for line in launch.run([binary, "env"]).output.splitlines():
        name, _, value = line.partition(" ")
        found[name] = value.strip()
    return found


def environment(binary, arguments, pythons, commands):
    cores = sorted(os.sched_getaffinity(0))
    return {
        "when": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "cores": len(cores),
        "arguments": {name: str(value) for name, value in vars(arguments).items()},
        "ddlbench": described(binary),
        "torch": ", ".join(f"PyTorch {torch} with torchvision {vision}" for torch, vision in pythons.values()),
        "pythons": {python: {"torch": torch, "torchvision": vision} for python, (torch, vision) in pythons.items()},
        "python": platform.python_version(),
        "governor": text_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "transparent_huge_pages": text_of("/sys/kernel/mm/transparent_hugepage/enabled"),
        "commands": commands,
    }


def text_of(path):
    """Returns the text of a file; None if it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return None
