"""A room includes only rooms on lower floors. Reads every #include "room/…" and every ddlbench_room(…)."""

import re
import shutil
import tempfile
from pathlib import Path

from source_tree import ROOMS, ROOT, files, report

# The table of docs/architecture.md.
MAY_INCLUDE = {
    "graph": set(),
    "collectives": {"graph"},
    "program": {"collectives", "graph"},
    "kernels": {"graph"},
    "comm": {"collectives", "graph"},
    "json": {"graph"},
    "workloads": {"json", "graph"},
    "strategies": {"program", "graph"},
    "simulator": {"program", "collectives", "graph"},
    "runtime": {"program", "kernels", "comm", "collectives", "json", "graph"},
    "bench": set(ROOMS) - {"bench"},
}
# Folders of bench/ below the others, and which of bench/ they may include (of report/ it is how units are written).
IN_BENCH = {"platform": set(), "records": {"platform", "report"}}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
ROOM = re.compile(r"ddlbench_room\(\s*(\w+)(?:\s+USES\s+([\w\s]*?))?(?:\s+LINKS\s[^)]*)?\)")


def includes_of(path, text):
    """(line, finding) of each include in a file of a room that the house does not allow."""
    room, folder = path.parts[:2]
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        target = match.group(1).split("/")[0]
        if "/" not in match.group(1) or target not in MAY_INCLUDE:
            yield line, f'"{match.group(1)}" does not begin with the name of a room'
        elif target != room and target not in MAY_INCLUDE[room]:
            allowed = ", ".join(sorted(MAY_INCLUDE[room])) or "no other room"
            yield line, f"{room}/ includes {target}/, but may include only: {allowed}"
        elif room == target == "bench" and folder in IN_BENCH:
            inner = match.group(1).split("/")[1]
            if inner != folder and inner not in IN_BENCH[folder]:
                allowed = ", ".join(sorted(IN_BENCH[folder])) or "no other folder"
                yield line, f"bench/{folder}/ includes bench/{inner}/, but may include only: {allowed}"


def findings(root):
    found = []
    seen = 0
    for path in files(root):
        if path.parts[0] in MAY_INCLUDE and path.suffix in {".h", ".cpp", ".cu", ".cuh"}:
            seen += 1
            text = (root / path).read_text(encoding="utf-8")
            found += [f"{path}:{line}: {what}" for line, what in includes_of(path, text)]
    if not seen:
        found.append(f"{root}: no source of any room found")
    for room, used in ROOM.findall((root / "CMakeLists.txt").read_text(encoding="utf-8")):
        for target in used.split():
            if target not in MAY_INCLUDE.get(room, set()):
                found.append(f"CMakeLists.txt: ddlbench_room({room}) uses {target}, a room that is not below it")
    return found


def self_test():
    """Plants violations in a copy: a check that cannot fail proves nothing."""
    plants = {
        "graph/planted.h": '#pragma once\n#include "program/plan.h"\n',
        "strategies/planted.cpp": '#include "graph/graph.h"\n  #  include "kernels/device.h"\n',
        "comm/deep/planted.h": '#include "runtime/engine.h"\n',
        "program/planted.h": '#include "mesh.h"\n',
        "bench/records/planted.cpp": '#include "bench/records/csv.h"\n#include "bench/run/child.h"\n',
    }
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copy(ROOT / "CMakeLists.txt", copy / "CMakeLists.txt")
        with (copy / "CMakeLists.txt").open("a", encoding="utf-8") as lists:
            lists.write("\nddlbench_room(kernels USES graph runtime LINKS x::y)\n")
        (copy / "bench").mkdir()
        (copy / "bench" / "fine.cpp").write_text('#include "runtime/engine.h"\n#include <vector>\n', encoding="utf-8")
        for name, text in plants.items():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_text(text, encoding="utf-8")
        found = findings(copy)
        expected = [*(name + ":" for name in plants), "CMakeLists.txt: ddlbench_room(kernels) uses runtime"]
        missed = [name for name in expected if not any(f.startswith(name) for f in found)]
        extra = [f for f in found if not any(f.startswith(name) for name in expected)]
        assert not missed and not extra, f"missed {missed}, wrongly found {extra}"


if __name__ == "__main__":
    self_test()
    report(findings(ROOT))
