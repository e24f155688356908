"""Shared code of the tests of scripts/plot: the script itself, tables, and the marks of its pictures."""

import csv
import html
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "results" / "reference" / "cpu" / "amd-avx512" / "quickstart"  # three epochs, without rounds

MARK = re.compile(r'<g id="mark-\d+"((?: data-[a-z]+="[^"]*")*)><title>[^<]*</title>(.*?)</g>', re.DOTALL)
DATA = re.compile(r'data-([a-z]+)="([^"]*)"')


def plot(*words):
    return subprocess.run([ROOT / "scripts" / "plot", *map(str, words)], capture_output=True, text=True, check=False)


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def marks(path):
    """Returns (data attributes, drawing) of everything in the picture that represents values."""
    svg = path.read_text(encoding="utf-8")
    return [({key: html.unescape(text) for key, text in DATA.findall(data)}, drawing)
            for data, drawing in MARK.findall(svg)]


def written(path):
    """Returns the lines of text in the picture, in their order."""
    return [html.unescape(text) for text in re.findall(r"<text [^>]*>([^<]*)</text>", path.read_text(encoding="utf-8"))]


def width(drawing):
    """Returns the width of the box around the drawing's first path."""
    xs = [float(x) for x in re.findall(r"[ML] ([-\d.]+) [-\d.]+", re.search(r' d="([^"]*)"', drawing).group(1))]
    return max(xs) - min(xs)


class InFolder(unittest.TestCase):
    """A test with a temporary folder."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.run_folder = self.folder / "run"
        self.out = self.folder / "out"

    def drawn(self, *words, others=()):
        """Draws `run_folder` and other folders."""
        ended = plot(self.run_folder, *others, "--output", self.out, "--format", "svg", *words)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended

    def refused(self, *words):
        ended = plot(*words)
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        self.assertNotIn("Traceback", ended.stderr)
        return ended.stderr


def main():
    """Runs the tests; skips them all where Matplotlib is missing."""
    if plot("--help").returncode != 0:
        print(plot("--help").stderr, file=sys.stderr)
        sys.exit(77)
    unittest.main()
