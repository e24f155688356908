"""Finds the commands and outputs that README.md, CONTRIBUTING.md and docs/*.md show.

A block that begins with ```sh holds commands, one per line, run in one shell. A block that begins with ```output is what the
```sh block before it prints. Other blocks name their language, or `text`.
"""

import dataclasses
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ["sh", "output", "text", "json", "cpp", "python"]
EXIT_CODE = re.compile(r"#.*\bexit code (\d+)")


@dataclasses.dataclass
class Command:
    line: int
    text: str  # without the comment
    exit_code: int  # 0, or what the comment says: "# exit code 2"


@dataclasses.dataclass
class Block:
    line: int
    commands: list
    output: list = None  # the lines shown, or None


def command(line, text):
    code = EXIT_CODE.search(text)
    return Command(line, re.sub(r"\s+#.*", "", text).strip(), int(code.group(1)) if code else 0)


def commands(first, lines):
    """Returns the commands of a block whose first line has the number `first`. A line that ends with a backslash continues."""
    found, begun = [], ""
    for number, line in enumerate(lines, first):
        begun += line
        if begun.endswith("\\"):
            begun = begun[:-1]
            continue
        if begun.strip() and not begun.lstrip().startswith("#"):
            found.append(command(number, begun))
        begun = ""
    return found


def blocks(text):
    """Returns the blocks with commands of a page, and findings: fences without a language, outputs without a command."""
    found, findings = [], []
    language, lines, begin = None, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith("```"):
            lines.append(line)
            continue
        if language is None:
            language, lines, begin = line.strip()[3:], [], number
            if language not in LANGUAGES:
                findings.append(f"{number}: a block must name one of the languages {', '.join(LANGUAGES)}")
            continue
        if language == "sh":
            found.append(Block(begin, commands(begin + 1, lines)))
        elif language == "output":
            if not found or found[-1].output is not None:
                findings.append(f"{begin}: an output without commands before it")
            else:
                found[-1].output = lines
        language, lines = None, []
    return found, findings
