"""Checks that every relative link in the documentation leads to a file, and every #section in one to a heading."""

import re
import tempfile
from pathlib import Path

from source_tree import ROOT, files, report

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.MULTILINE)


def anchor(heading):
    """Returns the anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def findings(root):
    found = []
    for path in files(root):
        if path.suffix != ".md":
            continue
        text = FENCE.sub(lambda m: "\n" * m.group(0).count("\n"), (root / path).read_text(encoding="utf-8"))
        for match in LINK.finditer(text):
            target, _, section = match.group(1).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            line = text.count("\n", 0, match.start()) + 1
            file = root / path if not target else root / path.parent / target
            if not file.exists():
                found.append(f"{path}:{line}: no such file: {target}")
            elif section and section not in map(anchor, HEADING.findall(file.read_text(encoding="utf-8"))):
                found.append(f"{path}:{line}: no such section: {match.group(1)}")
    return found


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.md").write_text("# A b: `c`\n[x](a.md#a-b-c) [y](https://e.org/z) [z](b.md)\n[w](#d)\n", encoding="utf-8")
        assert findings(Path(folder)) == ["a.md:2: no such file: b.md", "a.md:3: no such section: #d"]


if __name__ == "__main__":
    self_test()
    report(findings(ROOT))
