"""Shared by the checks in this folder: the files of the source tree, and the report of findings."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CODE = {".h", ".cpp", ".cu", ".cuh", ".py", ".sh", ".cmake"}
ROOMS = ["base", "platform", "json", "graph", "collectives", "program", "kernels", "comm", "workloads", "strategies", "simulator", "runtime", "bench"]
FOLDERS = [*ROOMS, ".ci", "cmake", "configs", "docs", "packaging", "scripts", "tests"]


def files(root=ROOT):
    """Yields all files in the project's folders, and its own files at the top. Everything else is ignored."""
    for path in sorted(root.iterdir()):
        if path.is_file() and (path.suffix == ".md" or path.name in {"CMakeLists.txt", "CMakePresets.json"}):
            yield path.relative_to(root)
    for top in FOLDERS:
        for folder, folders, names in os.walk(root / top):
            folders[:] = sorted(f for f in folders if f != "__pycache__")
            for name in sorted(names):
                yield (Path(folder) / name).relative_to(root)


def is_code(path):
    return path.suffix in CODE or path.name == "CMakeLists.txt" or (path.parts[0] == "scripts" and not path.suffix)


def report(findings):
    """Prints the findings and ends the process, with 0 if there are none, otherwise with 1."""
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)
