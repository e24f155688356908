"""What the tests of this folder share: what a person does with ddlbench wherever it was put."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "bench" / "cli"))

import shells  # noqa: E402

FILES = """
bin/ddlbench
bin/ddlbench-plot
share/bash-completion/completions/ddlbench
share/ddlbench/configs/ddlbench.schema.json
share/ddlbench/configs/quickstart.json
share/ddlbench/configs/gpu/resnet50.json
share/ddlbench/configs/models/resnet56.json
share/ddlbench/schema/ddlbench.schema.json
share/ddlbench/scripts/plot
share/ddlbench/scripts/plots/__main__.py
share/doc/ddlbench/README.md
share/doc/ddlbench/docs/configuration.md
share/doc/ddlbench/docs/images/budget.svg
""".split()


class ProgramTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()
        self.elsewhere = self.folder / "elsewhere"
        self.elsewhere.mkdir()

    def run_in(self, folder, *words):
        ended = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, check=False,
                               env=os.environ | {"XDG_CACHE_HOME": str(self.folder / "cache")})
        self.assertEqual(ended.returncode, 0, f"{words}: {ended.stdout}{ended.stderr}")
        return ended.stdout

    def assert_is_whole(self, prefix, completions_of_zsh="share/zsh/site-functions"):
        """`prefix` has every file, and what is in it works from another folder."""
        for name in [*FILES, f"{completions_of_zsh}/_ddlbench"]:
            self.assertTrue((prefix / name).is_file(), name)
        program = prefix / "bin" / "ddlbench"
        binary = program.read_bytes()
        for path in (ROOT / "build", ROOT / "bench", ROOT / "base", ROOT / "kernels"):
            self.assertNotIn(str(path).encode(), binary)
        self.assertRegex(self.run_in(self.elsewhere, program, "--version"), r"^ddlbench \d+\.\d+\.\d+ \(commit .*\)$")
        configs = prefix / "share" / "ddlbench" / "configs"
        self.assertIn(f" {configs}\n", self.run_in(self.elsewhere, program, "env"))
        self.assert_names_what_was_installed(program, configs)
        self.assert_completes(prefix, prefix / completions_of_zsh)
        self.assert_runs(prefix, configs)

    def assert_names_what_was_installed(self, program, configs):
        ended = subprocess.run([program, "--config", "quickstart.json"], cwd=self.elsewhere, capture_output=True,
                               text=True, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn(f"one of that name was installed: {configs}/quickstart.json", ended.stderr)

    def assert_completes(self, prefix, folder_of_zsh):
        for shell, script in (("bash", prefix / "share" / "bash-completion" / "completions" / "ddlbench"),
                              ("zsh", folder_of_zsh / "_ddlbench")):
            if shutil.which(shell):
                terminal = shells.start(shell, script, self.elsewhere)
                self.assertEqual(shells.completed(terminal, "ddlbench pla\t--time\t"), ["plan", "--timeline"])
                terminal.close()

    def assert_runs(self, prefix, configs):
        """One short case and its figures."""
        self.run_in(self.elsewhere, prefix / "bin" / "ddlbench", "--config", configs / "synthetic-mlp.json", "--quiet", "--set", "/measure/interleave=false",
                    "--filter", "single", "--set", "/measure/steps=2", "--set", "/training/epochs=1", "--output", "out")
        self.assertIn("usage: ddlbench-plot ", self.run_in(self.elsewhere, prefix / "bin" / "ddlbench-plot", "--help")
                      if has_matplotlib() else "usage: ddlbench-plot ")
        if has_matplotlib():
            drawn = self.run_in(self.elsewhere, prefix / "bin" / "ddlbench-plot", "out", "--only", "budget", "--format", "svg")
            self.assertTrue((self.elsewhere / drawn.strip()).is_file())
        shutil.rmtree(self.elsewhere / "out")
        self.assertEqual(list(prefix.rglob("__pycache__")), [])


def has_matplotlib():
    return subprocess.run(["/usr/bin/env", "python3", "-c", "import matplotlib"], capture_output=True, check=False).returncode == 0
