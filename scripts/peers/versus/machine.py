"""Describes the machine and the software of a comparison."""

import os
import platform
from datetime import datetime, timezone
from pathlib import Path

from versus import launch

ROOT = Path(__file__).resolve().parents[3]


def processor_kind(cpuinfo=Path("/proc/cpuinfo")):
    """Returns the kind of this processor, which names its results folder: the vendor and the widest of AMX, AVX-512 and
    AVX2 that the system offers, such as intel-avx512. Elsewhere than on Linux and x86: the architecture."""
    fields = {}
    for line in (text_of(cpuinfo) or "").splitlines():
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    vendor = {"AuthenticAMD": "amd", "GenuineIntel": "intel"}.get(fields.get("vendor_id"))
    if vendor is None:
        return platform.machine() or "unknown"
    flags = fields.get("flags", "").split()
    widest = [name for flag, name in (("amx_tile", "amx"), ("avx512f", "avx512"), ("avx2", "avx2")) if flag in flags]
    return "-".join([vendor, *widest[:1]])


def results_folder(name):
    """Returns the default folder of a comparison on this kind of processor."""
    return ROOT / "results" / "cpu" / processor_kind() / name


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
        "processor_kind": processor_kind(),
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
