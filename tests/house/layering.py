"""Checks that a room includes only the rooms that it USES, which come before it. Reads every #include "room/…", the
lines ddlbench_room(…) of CMakeLists.txt and bench/CMakeLists.txt, and the table in docs/architecture.md."""

import re
import shutil
import tempfile
from pathlib import Path

from source_tree import ROOMS, ROOT, files, report

LISTS = ["CMakeLists.txt", "bench/CMakeLists.txt"]
TABLE = "docs/architecture.md"
# Sources of bench/ outside any room are programs: no other file includes them, and they may include everything.
PROGRAMS = {"bench", "bench/micro", "bench/tools"}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# json:: is also the short name of nlohmann::json.
NAME = re.compile(r"(?<![\w:.>])(?!json\b)(\w+)::\w")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
ROOM = re.compile(r"^ddlbench_room\(\s*([\w/]+)((?:\s+[\w/]+)*)", re.MULTILINE)
ROW = re.compile(r"^\| \[`([\w/]+)/`\][^|]*\|[^|]*\|([^|]*)\|$", re.MULTILINE)


def rooms_of(root):
    """Returns {room: rooms that it uses}, and findings: rooms that use one that does not come before them."""
    rooms, found = {}, []
    for name in LISTS:
        if not (root / name).exists():
            continue
        for room, words in ROOM.findall((root / name).read_text(encoding="utf-8")):
            words = words.split()
            used = words[words.index("USES") + 1 :] if "USES" in words else []
            used = used[: next((i for i, word in enumerate(used) if word in {"COLD", "LINKS", "SEPARATE", "WITHOUT"}), len(used))]
            found += [f"{name}: ddlbench_room({room}) uses {one}, which is not listed before it" for one in used if one not in rooms]
            rooms[room] = set(used)
    return rooms, found


def room_of(path, rooms):
    """Returns the folder of a file or an include, up to the name of a room or a folder of programs."""
    inner = "/".join(path.parts[:2])
    return inner if inner in rooms or inner in PROGRAMS else path.parts[0]


def includes_of(path, text, rooms):
    """Yields (line, finding) for each include in a file of a room that is not allowed."""
    room = room_of(path, rooms)
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        target = room_of(Path(match.group(1)), rooms)
        if "/" not in match.group(1) or target not in {*rooms, *PROGRAMS}:
            yield line, f'"{match.group(1)}" does not begin with the name of a room'
        elif target == room:
            continue
        elif target in PROGRAMS:
            yield line, f'"{match.group(1)}" belongs to programs'
        elif room not in PROGRAMS and target not in rooms[room]:
            allowed = ", ".join(sorted(rooms[room])) or "no other room"
            yield line, f"{room}/ includes {target}/, but may include only: {allowed}"


def names_of(path, text, rooms):
    """Yields (line, finding) for each name of a room that the file's own room does not use, seen through another's
    header."""
    room = room_of(path, rooms)
    for match in NAME.finditer(COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)):
        target = match.group(1)
        if target in rooms and target != room and room not in PROGRAMS and target not in rooms[room]:
            yield text.count("\n", 0, match.start()) + 1, f"{room}/ names {target}::, but does not list that room in USES"


def table_of(root, rooms):
    """Yields findings: rooms that are missing in the table of the documentation, or different there."""
    rows = {room: set(used.replace(",", " ").split()) - {"–"} for room, used in ROW.findall((root / TABLE).read_text(encoding="utf-8"))}
    for room, used in rooms.items():
        if rows.get(room) != used:
            yield f"{TABLE}: the row of {room}/ must name: {', '.join(sorted(used)) or '–'}"
    for room in rows.keys() - rooms.keys():
        yield f"{TABLE}: there is no room {room}/"


def findings(root):
    rooms, found = rooms_of(root)
    found += [f"tests/house/source_tree.py: ROOMS lacks {room}" for room in rooms if room.split("/")[0] not in ROOMS]
    unused = {(room, used) for room, all_used in rooms.items() for used in all_used}
    seen = 0
    for path in files(root):
        if path.parts[0] in ROOMS and path.suffix in {".h", ".cpp", ".cu", ".cuh"}:
            seen += 1
            text = (root / path).read_text(encoding="utf-8")
            found += [f"{path}:{line}: {what}" for line, what in includes_of(path, text, rooms)]
            found += [f"{path}:{line}: {what}" for line, what in names_of(path, text, rooms)]
            unused -= {(room_of(path, rooms), room_of(Path(name), rooms)) for name in INCLUDE.findall(text)}
    if not seen:
        found.append(f"{root}: no source of any room found")
    found += [f"{room}/ lists {used}/ in USES, but includes nothing of it" for room, used in sorted(unused)]
    return found + list(table_of(root, rooms))


def self_test():
    """Plants violations in a copy, because a check that cannot fail proves nothing."""
    plants = {
        "graph/planted.h": '#pragma once\n#include "program/plan.h"\n',
        "strategies/planted.cpp": '#include "graph/graph.h"\n  #  include "kernels/device.h"\n',
        "comm/deep/planted.h": '#include "runtime/engine.h"\n',
        "program/planted.h": '#include "mesh.h"\n',
        "base/planted.h": '#include "graph/tensor.h"\n',
        "bench/records/planted.cpp": '#include "bench/records/csv.h"\n#include "bench/launcher/child.h"\n',
        "bench/case/planted.cpp": '#include "bench/report/table.h"\n',
        "strategies/named.cpp": "// not kernels::Device\nint x = kernels::own::y;\n",
        "bench/report/planted.cpp": '#include "bench/micro/bound.h"\n',
    }
    lists = {
        "CMakeLists.txt": "\nddlbench_room(kernels USES graph cellar SEPARATE models LINKS x::y)\nddlbench_room(loft)\n",
        "bench/CMakeLists.txt": "\nddlbench_room(bench/records USES bench/early\n  graph)\nddlbench_room(bench/early)\n",
    }
    expected = [*(name + ":" for name in plants)]
    expected += ["CMakeLists.txt: ddlbench_room(kernels) uses cellar", "bench/CMakeLists.txt: ddlbench_room(bench/records) uses bench/early"]
    expected += [f"{TABLE}: the row of {room}/" for room in ["kernels", "bench/records", "bench/early", "loft"]] + [f"{TABLE}: there is no room attic/"]
    expected += ["tests/house/source_tree.py: ROOMS lacks loft", "graph/ lists base/ in USES, but includes nothing of it"]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in [*LISTS, TABLE]:
            (copy / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
        with (copy / TABLE).open("a", encoding="utf-8") as table:
            table.write("\n| [`attic/`](../attic) | what is old | – |\n")
        (copy / "bench" / "fine.cpp").write_text('#include "bench/case/trainer.h"\n#include <vector>\n', encoding="utf-8")
        for name, text in plants.items():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_text(text, encoding="utf-8")
        planted = findings(copy)
        for name, text in lists.items():
            with (copy / name).open("a", encoding="utf-8") as written:
                written.write(text)
        found = planted + [one for one in findings(copy) if one not in planted]
        missed = [name for name in expected if not any(f.startswith(name) for f in found)]
        extra = [f for f in found if not f.endswith("includes nothing of it") and not any(f.startswith(name) for name in expected)]
        assert not missed and not extra, f"missed {missed}, wrongly found {extra}"


if __name__ == "__main__":
    self_test()
    report(findings(ROOT))
