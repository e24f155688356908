"""Shared code of the tests of scripts/plot: the script itself, tables, and the marks of its pictures."""

import csv
import html
import os
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile
import traceback
import unittest

WORDS = list(sys.argv)
ROOT = pathlib.Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "results" / "reference" / "cpu" / "amd-avx512" / "quickstart"  # three epochs, without rounds

MARK = re.compile(r'<g id="mark-\d+"((?: data-[a-z]+="[^"]*")*)><title>[^<]*</title>(.*?)</g>', re.DOTALL)
DATA = re.compile(r'data-([a-z]+)="([^"]*)"')


def plot(*words):
    """Does what scripts/plot does, in a copy of this process, which has imported Matplotlib already."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            code = 1
            try:
                code = PLOTS["main"]("plot", *map(str, words))
            except SystemExit as end:
                code = end.code
            except BaseException:  # pylint: disable=broad-except
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        return subprocess.CompletedProcess(words, code, out.read(), err.read())


def script(*words):
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


PLOTS = {}  # the names of scripts/plots


def use_plots():
    """Imports scripts/plots and Matplotlib. Starts this test again with the Python that scripts/plot takes, or ends it as
    skipped if there is none."""
    find = f'source "{ROOT}/scripts/lib/python.sh"; type -P "$(python_with_matplotlib)"'
    python = subprocess.run(["bash", "-c", find], capture_output=True, text=True, check=False).stdout.strip()
    if not python:
        sys.exit(77)
    if os.environ.get("DDLBENCH_TEST_PYTHON") != python:  # it may be a link, so its name says nothing
        os.environ["DDLBENCH_TEST_PYTHON"] = python
        os.execv(python, [python, "-B", *WORDS])
    sys.path.insert(0, str(ROOT / "scripts" / "plots"))
    PLOTS.update(runpy.run_path(str(ROOT / "scripts" / "plots" / "__main__.py"), run_name="plots"))
    for module in ("style", "figures", "sheet"):
        __import__(module)


def main():
    use_plots()
    unittest.main()
