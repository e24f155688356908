"""Checks that all files have one licence, according to REUSE (https://reuse.software/spec-3.2/): REUSE.toml in the root
names it once, LICENSES/ contains its text, and no file names another."""

import re
import tempfile
from pathlib import Path

from source_tree import ROOT, files, report

TAG = re.compile("SPDX-License-" + r"Identifier: *([\w.+-]+)")  # split, because this file would contain a tag otherwise


def findings(root):
    written = (root / "REUSE.toml").read_text(encoding="utf-8")
    licences = re.findall(r'^SPDX-License-Identifier = "(.*)"$', written, re.MULTILINE)
    found = []
    if not re.search(r'^path = "\*\*"$', written, re.MULTILINE) or len(licences) != 1:
        return ["REUSE.toml: exactly one licence must cover all files"]
    if not re.search(r'^SPDX-FileCopyrightText = ".+"$', written, re.MULTILINE):
        found.append("REUSE.toml: names no copyright holder")
    texts = sorted(path.stem for path in (root / "LICENSES").iterdir())
    if texts != licences:
        found.append(f"LICENSES/: has {', '.join(texts)}, but REUSE.toml names {licences[0]}")
    if (root / "LICENSE").resolve() != (root / "LICENSES" / f"{licences[0]}.txt").resolve():
        found.append("LICENSE: must be a link to the text in LICENSES/")
    for path in files(root):
        if (root / path).is_symlink() or path.suffix in {".png", ".gz"}:
            continue
        for licence in TAG.findall((root / path).read_text(encoding="utf-8", errors="replace")):
            if licence != licences[0]:
                found.append(f"{path}: says {licence}, but REUSE.toml {licences[0]}")
    return found


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "LICENSES").mkdir()
        (root / "LICENSES" / "MIT.txt").write_text("MIT\n", encoding="utf-8")
        (root / "LICENSE").write_text("MIT\n", encoding="utf-8")
        (root / "REUSE.toml").write_text('path = "**"\nSPDX-License-' + 'Identifier = "Zlib"\n', encoding="utf-8")
        (root / "docs").mkdir()
        (root / "docs" / "a.md").write_text("SPDX-License-" + "Identifier: MIT\n", encoding="utf-8")
        found = [one.split(":")[0] for one in findings(root)]
        assert found == ["REUSE.toml", "LICENSES/", "LICENSE", "docs/a.md"], found


if __name__ == "__main__":
    self_test()
    report(findings(ROOT))
