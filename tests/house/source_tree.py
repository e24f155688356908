"""What the checks of this folder share: the files of the source tree, and how a finding is reported."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CODE = {".h", ".cpp", ".cu", ".cuh", ".py", ".sh", ".cmake"}
ROOMS = ["graph", "program", "kernels", "comm", "workloads", "strategies", "simulator", "runtime", "bench"]


def files(root=ROOT):
    """All files that belong to the source tree, as paths relative to it."""
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(
            f for f in folders
            if f not in {".git", ".cache", "__pycache__"} and not (here == root and (f == "build" or f.startswith("build-")))
        )
        if here == root and "results" in folders:
            folders.remove("results")
        for name in sorted(names):
            if name != ".git" and (here / name).is_file():
                yield (here / name).relative_to(root)


def is_code(path):
    return path.suffix in CODE or path.name == "CMakeLists.txt" or (path.parts[0] == "scripts" and not path.suffix)


def report(findings):
    """Prints the findings and ends the process: 0 where there are none."""
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)
