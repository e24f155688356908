"""The experiment that README.md shows is configs/example.json, has at most 12 lines, and comes before its commands."""

import re
import sys

import pages

text = (pages.ROOT / "README.md").read_text(encoding="utf-8")
shown = re.search(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL).group(1)
shipped = (pages.ROOT / "configs/example.json").read_text(encoding="utf-8")
if shown != shipped:
    sys.exit("README.md: the first JSON block is not configs/example.json")
if shipped.count("\n") > 12:
    sys.exit("configs/example.json: has more than 12 lines")
if text.index("```json") > text.index("mine.json"):
    sys.exit("README.md: a command uses mine.json before the file is shown")
