"""Checks rules for single files: their length, `#pragma once`, no paths of one machine, scripts that are executable."""

import os
import re
import tempfile
from pathlib import Path

from source_tree import ROOT, files, is_code, report

LONGEST = 400
TEXT = {".md", ".json", ".txt", ".csv", ".supp"}
MACHINE_PATH = re.compile(r"""(?:^|[\s"'`(=:])(/(?:home|Users|root|work|mnt|scratch)/[\w.])""")


def findings(root):
    found = []
    seen = 0
    for path in files(root):
        if not is_code(path) and path.suffix not in TEXT and path.parts[0] != ".ci":
            continue
        seen += 1
        text = (root / path).read_text(encoding="utf-8")
        if is_code(path) and text.count("\n") > LONGEST:
            found.append(f"{path}: {text.count(chr(10))} lines, but a source has at most {LONGEST}: split it by its jobs")
        if path.suffix in {".h", ".cuh"} and not re.search(r"^#pragma once$", text, re.MULTILINE):
            found.append(f"{path}: a header without #pragma once")
        for match in MACHINE_PATH.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            found.append(f"{path}:{line}: a path of one machine: {match.group(1)}…")
        if text.startswith("#!") and not os.access(root / path, os.X_OK):
            found.append(f"{path}: begins with #! but is not executable")
    if not seen:
        found.append(f"{root}: no source found")
    return found


def self_test():
    plants = {
        "graph/long.cpp": "int x;\n" * (LONGEST + 1),
        "graph/twice.h": "struct Twice {};\n",
        "docs/path.md": "Look into `/" + "home/somebody`.\n",
        "scripts/dead": "#!/bin/sh\n",
    }
    fine = {
        "graph/fine.h": "#pragma once\n" * LONGEST,
        "docs/fine.md": "See docs/home/index.md and /usr/share/datasets.\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**plants, **fine}.items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        found = findings(Path(folder))
        assert len(found) == len(plants), found
        for name in plants:
            assert any(f.startswith(name + ":") for f in found), f"{name} was not found: {found}"


if __name__ == "__main__":
    self_test()
    report(findings(ROOT))
