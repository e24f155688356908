"""Shared by the tests of scripts/gpu_checks: its modules, and a folder of fake programs."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "gpu_checks"))

import checks  # noqa: E402
import processes  # noqa: E402

CATCH = """#!/bin/sh
case "$*" in
  '--list-test-names-only [ops]') ;;
  --list-test-names-only) printf 'first\\nsecond & third\\nlast, of [three]\\n' ;;
  first | 'second & third') exit 0 ;;
  'last\\, of \\[three]') {last} ;;
  '') exit 1 ;;
  *) echo No tests ran ;;
esac
"""


def plant(path, program):
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(program, encoding="utf-8")
    path.chmod(0o755)


class InAFolder(unittest.TestCase):
    """A test with a context in a temporary folder, whose programs the test plants."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        path = mock.patch.dict(os.environ, {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"})
        path.start()
        self.addCleanup(path.stop)
        runner = processes.Runner(self.folder / "log", ROOT, dict(os.environ))
        runner.begin(60)
        self.context = checks.Context(ROOT, self.folder, self.folder, runner, 1)
        quiet = contextlib.redirect_stderr(io.StringIO())
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)
