"""Completion in bash and zsh, and the manual page: they have what --help has. The arguments behind the binary choose
among Bash, Zsh and Manual."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import shells
from harness import BINARY

LINES = {
    "--conf\texp\t": ["--config", "experiment.json"],
    "--config=exp\t": ["--config=experiment.json"],
    "exp\t": ["experiment.json"],
    "plan my-m\t": ["plan", "my-model.json"],
    "pla\t--time\t": ["plan", "--timeline"],
    "--config x pla\t": ["--config", "x", "plan"],
    "verify --out\tres\tx": ["verify", "--output", "results/x"],
    "describe vgg\t": ["describe", "vgg16"],
    "describe my-m\t": ["describe", "my-model.json"],
    "layers lenet --dev\tref\t": ["layers", "lenet", "--device", "reference"],
    "layers --device cpu,ref\t": ["layers", "--device", "cpu,reference"],
    "layers --precision bf\t": ["layers", "--precision", "bf16"],
    "--set /training/ep\t3": ["--set", "/training/epochs=3"],
    "--set /training/epochs=3 --dry\t": ["--set", "/training/epochs=3", "--dry-run"],
    "run --filter inter\t": ["run", "--filter", "interleaved"],
    "completion z\t": ["completion", "zsh"],
    "slurm sta\tres\tx": ["slurm", "status", "results/x"],
    "slurm exp\t--lay\tarr\t": ["slurm", "experiment.json", "--layout", "array"],
    "work\t": ["work"],
}


def ddlbench(*words):
    return subprocess.run([BINARY, *words], check=True, capture_output=True, text=True).stdout


def options_in_help(*subcommand):
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(
        line[2:30].split("  ")[0] for line in ddlbench(*subcommand, "--help").splitlines() if line.startswith("  -"))))


def subcommands(*command):
    help_text = ddlbench(*command, "--help")
    return re.findall(r"^  ([\w-]+) ", help_text.split("Subcommands:")[1], re.MULTILINE) if "Subcommands:" in help_text else []


def commands(*command):
    """Returns the words of all commands, in the order of --help: [], ["run"], …, ["slurm"], ["slurm", "status"], …"""
    return [list(command)] + [nested for name in subcommands(*command) for nested in commands(*command, name)]


class Completion(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        for name in ("experiment.json", "my-model.json", "resume.txt"):
            (self.folder / name).touch()
        (self.folder / "results").mkdir()
        (self.folder / "completion").mkdir()

    def script(self, shell, name):
        path = self.folder / "completion" / name
        path.write_text(ddlbench("completion", shell))
        return path

    def completes(self, shell, name):
        terminal = shells.start(shell, self.script(shell, name), self.folder)
        self.addCleanup(terminal.close)
        for line, words in LINES.items():
            found = shells.completed(terminal, "ddlbench " + line)
            if shell == "zsh":  # completes --config to --config=, as a word with its value
                found, words = (" ".join(line).replace("=", " ") for line in (found, words))
            self.assertEqual(found, words, line)


class Bash(Completion):
    def test_lines(self):
        self.completes("bash", "ddlbench")

    def test_every_option_and_subcommand_is_offered(self):
        script = self.script("bash", "ddlbench")
        self.assertGreater(len(subcommands()), 10)
        self.assertEqual(set(shells.offered(script, "")), set(subcommands()))
        self.assertIn(["slurm", "status"], commands())
        for subcommand in commands():
            self.assertEqual(set(shells.offered(script, *subcommand, "-")), options_in_help(*subcommand))

    def test_an_unknown_shell_is_refused(self):
        ended = subprocess.run([BINARY, "completion", "fish"], capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertIn("available: bash, zsh", ended.stderr)


class Zsh(Completion):
    def test_lines(self):
        self.completes("zsh", "_ddlbench")


class Manual(unittest.TestCase):
    def rendered(self):
        ended = subprocess.run(["groff", "-man", "-ww", "-Kutf8", "-Tutf8", "-P-cbou", "-rLL=200n"],
                               input=ddlbench("man"), capture_output=True, text=True, check=True)
        self.assertEqual(ended.stderr, "")
        return ended.stdout

    def test_it_renders_without_warnings_and_has_every_option(self):
        sections = re.split(r"^   (?=\w)", self.rendered().replace("‐", "-").replace("−", "-"), flags=re.MULTILINE)
        self.assertIn("ddlbench - benchmarks parallel", sections[0])
        self.assertEqual(len(sections), len(commands()))
        for section, subcommand in zip(sections, commands()):
            shown = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(
                line for line in section.splitlines() if line.startswith("       -"))))
            self.assertEqual(shown, options_in_help(*subcommand), subcommand)


NEEDED = {"Bash": "bash", "Zsh": "zsh", "Manual": "groff"}

if __name__ == "__main__":
    for name in sys.argv[1:]:
        if not shutil.which(NEEDED[name]):
            print(f"skipped: there is no command {NEEDED[name]}")
            sys.exit(77)
    unittest.main()
