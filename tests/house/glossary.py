"""Checks the pages of docs/ as a book: each begins with a sentence about its purpose and is listed in docs/README.md, and
each term of the glossary, of which there are at most 25, is linked where the README or a page first uses it, in that order."""

import re
import tempfile
from pathlib import Path

from links import FENCE, anchor
from source_tree import ROOT, report

MOST_TERMS = 25
GLOSSARY = "docs/glossary.md"
TERM = re.compile(r"^### (.+)$", re.MULTILINE)
LISTED = re.compile(r"^\| \[[^\]]*\]\(([^)#]+)\) \|", re.MULTILINE)
NOT_PROSE = re.compile(r"^[#|].*$|^<!--.*?-->|`[^`\n]*`|!\[[^\]]*\]\([^)]*\)", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


def prose(path):
    """Returns a page without headings, tables, code and figures, at the same offsets."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))  # noqa: E731
    return NOT_PROSE.sub(blank, FENCE.sub(blank, path.read_text(encoding="utf-8")))


def use_of(term):
    """Returns a pattern for a term and its plural; a line may end between its words."""
    words = re.split(r"[ -]", term.removesuffix("s"))
    return re.compile(r"\b" + r"(?: |-|\n)?".join(map(re.escape, words)) + r"(?:s|es)?\b", re.IGNORECASE)


def first_use(term, pages):
    """Returns the page, the line and the link target of the first use of a term outside of links to other places."""
    for page, text in pages:
        links = [(match.start(), match.end(), match.group(2)) for match in LINK.finditer(text)]
        for use in use_of(term).finditer(text):
            target = next((to for begin, end, to in links if begin <= use.start() < end), "")
            if target and "glossary.md#" not in target:
                continue
            return page, text.count("\n", 0, use.start()) + 1, target
    return None


def findings(root):
    found = []
    listed = LISTED.findall((root / "docs/README.md").read_text(encoding="utf-8"))
    order = ["docs/README.md", *(f"docs/{name}".replace("docs/../", "") for name in listed)]
    for path in sorted((root / "docs").glob("*.md")):
        name = f"docs/{path.name}"
        if name not in [*order, GLOSSARY]:
            found.append(f"docs/README.md: does not list {name}")
        if not re.match(r"# .+\n\nThis page ", path.read_text(encoding="utf-8")):
            found.append(f"{name}: begin with a heading and a sentence about the purpose: This page …")
    terms = TERM.findall((root / GLOSSARY).read_text(encoding="utf-8"))
    if len(terms) > MOST_TERMS:
        found.append(f"{GLOSSARY}: {len(terms)} terms; at most {MOST_TERMS}")
    pages = [(name, prose(root / name)) for name in ["README.md", *order]]
    for term in terms:
        use = first_use(term, pages)
        if use is None:
            found.append(f"{GLOSSARY}: no page uses {term}")
        elif not use[2].endswith(f"glossary.md#{anchor(term)}"):
            found.append(f"{use[0]}:{use[1]}: link the first use of '{term}' to glossary.md#{anchor(term)}")
    return found


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "docs").mkdir()
        (root / "README.md").write_text("# Role\n`role` and [role](docs/a.md), [roles](docs/glossary.md#role)\n", encoding="utf-8")
        (root / "docs/README.md").write_text("# D\n\nThis page lists.\n\n| [A](a.md) | x |\n", encoding="utf-8")
        (root / "docs/a.md").write_text("# A\n\nThis page has a busy\nthread.\n", encoding="utf-8")
        (root / "docs/b.md").write_text("# B\n\nFor who reads.\n", encoding="utf-8")
        (root / "docs/glossary.md").write_text("# G\n\nThis page defines.\n\n" + "### Role\n" * 24 + "### Busy threads\n### Preset\n",
                                               encoding="utf-8")
        assert findings(root) == [
            "docs/README.md: does not list docs/b.md",
            "docs/b.md: begin with a heading and a sentence about the purpose: This page …",
            "docs/glossary.md: 26 terms; at most 25",
            "docs/a.md:3: link the first use of 'Busy threads' to glossary.md#busy-threads",
            "docs/glossary.md: no page uses Preset"], findings(root)


if __name__ == "__main__":
    self_test()
    report(findings(ROOT))
