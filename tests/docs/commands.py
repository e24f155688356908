"""Runs the commands that a page shows and compares their output with what the page shows (shapes.py says how).

usage: commands.py DDLBENCH BUILD_FOLDER PAGE, or commands.py --list

Commands run in a new folder with a copy of the source tree and `build` as a link to the build folder; `ddlbench` is on
PATH. They run on two cores, like the run in the README. The commands of a block share a shell, and each block begins in
that folder. Each command must end with exit code 0, or with the code in its comment: "# exit code 2". An output block shows
standard output; if a command of the block ends with another code than 0, also standard error.

A command in not_run.py is replaced by the one named there, or left out. One that would change the machine must be there. --list checks that each command there is still in
its page, and tests this script. The exit code is 77, skipped, if this machine or this build lacks something.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import pages
import shapes
from not_run import NEEDS, NOT_RUN

BLOCK_TIMEOUT_SECONDS = 100
CHANGES_MACHINE = {"apt", "apt-get", "dpkg", "rm", "sudo", "xargs"}
COPIED = [".ci", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "cmake", "configs", "docs", "packaging",
          "results/reference", "scripts", "tests/bench"]


def lacking(text, folder):
    """Returns what is missing on this machine, or in this build, to run the command."""
    needed = [need for part, need in NEEDS.items() if part in text]
    return [need for need in needed if not ((folder / need).exists() if "/" in need else shutil.which(need))]


def lay_out(folder, build):
    for name in COPIED:
        source, target = pages.ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target)
    (folder / "build").symlink_to(build)


def script(commands):
    """Returns a shell script that runs the commands until one ends with another exit code than it should, and ends with
    77 if that is 77: the command was skipped, because this machine lacks something."""
    lines = ["set -o pipefail"]
    for command in commands:
        lines += [command.text, f"ended=$?; [ $ended -eq {command.exit_code} ] || "
                                f"{{ echo \"line {command.line}: exit code $ended\" >&2; [ $ended -ne 77 ] || exit 77; exit 99; }}"]
    return "\n".join(lines)


def run(text, folder, environment):
    """Runs a shell script; returns its exit code, standard output and standard error."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        shell = subprocess.Popen(["bash", "-c", text], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 start_new_session=True)
        try:
            code = shell.wait(BLOCK_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, signal.SIGKILL)
            code = f"none after {BLOCK_TIMEOUT_SECONDS} s"
        out.seek(0)
        err.seek(0)
        return code, out.read(), err.read()


class Page:
    def __init__(self, name, folder, environment):
        self.name, self.folder, self.environment = name, folder, environment
        self.blocks, findings = pages.blocks((pages.ROOT / name).read_text(encoding="utf-8"))
        self.findings = [f"{name}:{finding}" for finding in findings]
        self.left_out = []

    def to_run(self, block):
        """Returns the commands to run for a block, whether its output is a ranking, and whether none was left out."""
        chosen, ranked, whole = [], False, True
        for command in block.commands:
            entry = next((e for e in NOT_RUN.get(self.name, []) if e.command == command.text), None)
            text = entry.instead if entry else command.text
            missing = lacking(text, self.folder)
            if missing:
                self.left_out.append(f"{self.name}:{command.line}: {text}: missing: {', '.join(missing)}")
            if text and CHANGES_MACHINE & set(text.split()):
                self.findings.append(f"{self.name}:{command.line}: {text}: changes the machine; list it in not_run.py")
            elif text and not missing:
                chosen.append(pages.Command(command.line, text, command.exit_code))
            else:
                whole = False
            ranked = ranked or bool(entry and entry.ranked)
        return chosen, ranked, whole

    def check(self, block):
        chosen, ranked, whole = self.to_run(block)
        if not chosen:
            return
        code, out, err = run(script(chosen), self.folder, self.environment)
        if code == 77:
            self.left_out.append(f"{self.name}:{block.line}: {err[-400:]}")
        elif code != 0:
            self.findings.append(f"{self.name}:{block.line}: exit code {code}\n{out[-4000:]}{err[-4000:]}")
        elif block.output is not None and whole:
            real = (out + err if any(command.exit_code for command in chosen) else out).splitlines()
            found = (shapes.missing_rows if ranked else shapes.differences)(block.output, real)
            if found:
                self.findings.append("\n".join([f"{self.name}:{block.line}: another output", *found]))


def check_page(ddlbench, build, name):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    with tempfile.TemporaryDirectory() as temporary:
        top = pathlib.Path(temporary).resolve()
        (top / "bin").mkdir()
        (top / "bin" / "ddlbench").symlink_to(ddlbench)
        folder = top / "ddlbench"
        folder.mkdir()
        page = Page(name, folder, os.environ | {"PATH": f"{top / 'bin'}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"})
        if page.blocks:
            lay_out(folder, build)
        for block in page.blocks:
            page.check(block)
    print("\n".join(page.findings + page.left_out))
    return 1 if page.findings else 77 if page.left_out else 0


def check_list():
    findings = []
    for page, entries in NOT_RUN.items():
        blocks, _ = pages.blocks((pages.ROOT / page).read_text(encoding="utf-8"))
        shown = {command.text for block in blocks for command in block.commands}
        for entry in entries:
            if entry.command not in shown:
                findings.append(f"not_run.py: {page} does not show: {entry.command}")
            if not entry.reason:
                findings.append(f"not_run.py: no reason: {entry.command}")
    print("\n".join(findings))
    return 1 if findings else 0


def self_test():
    shapes.self_test()
    found, findings = pages.blocks("```sh\na   # b\nc \\\n  d  # exit code 2\n```\n```output\nx\n```\n```json\n{}\n```\n```\ny\n```\n")
    assert [(c.text, c.exit_code) for c in found[0].commands] == [("a", 0), ("c   d", 2)] and found[0].output == ["x"], found
    assert len(findings) == 1
    with tempfile.TemporaryDirectory() as folder:
        first, second = pages.Command(1, "cd /; x=5", 0), pages.Command(2, "echo $PWD $x; (exit 3)", 3)
        assert run(script([first, second]), folder, os.environ)[:2] == (0, "/ 5\n")
        assert run(script([first, pages.Command(2, "false", 0), second]), folder, os.environ)[:2] == (99, "")
        assert run(script([first, pages.Command(2, "(exit 77)", 0), second]), folder, os.environ)[:2] == (77, "")


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        self_test()
        sys.exit(check_list())
    sys.exit(check_page(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]))
