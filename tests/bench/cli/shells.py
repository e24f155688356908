"""Completion in real shells: keys are typed into an interactive one, which runs a function of the command's name."""

import os
import pathlib
import pty
import re
import select
import subprocess
import time

WAIT_TIMEOUT_SECONDS = 60
SHOW = "ddlbench() { printf '<%s>' \"$@\"; printf '%s\\n' '!end'; }"


class Terminal:
    def __init__(self, words, folder):
        self.child, self.descriptor = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", PS1="", HOME=str(folder), INPUTRC="/dev/null")
            os.execvp(words[0], words)

    def type(self, keys):
        os.write(self.descriptor, keys.encode())

    def read_until(self, pattern):
        text, deadline = "", time.monotonic() + WAIT_TIMEOUT_SECONDS
        while not (found := re.search(pattern, text)):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.descriptor], [], [], left)[0]:
                raise AssertionError(f"waited {PATIENCE_SECONDS} s for {pattern}; the terminal shows {text!r}")
            text += os.read(self.descriptor, 4096).decode(errors="replace")
        return found

    def close(self):
        os.close(self.descriptor)
        os.waitpid(self.child, 0)


def start(shell, completion, folder):
    """The terminal of `shell` ("bash" or "zsh") that has the completion script sourced, or found in a folder where the
    shell looks for such."""
    words = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}[shell]
    terminal = Terminal(words, folder)
    lines = [SHOW]
    if shell == "bash":
        lines.append(f"source '{completion}'")
    else:
        lines += [f"fpath=('{pathlib.Path(completion).parent}' $fpath)", "autoload -Uz compinit",
                  f"compinit -u -d '{folder}/.zcompdump'", "PS1=", "PROMPT_SP="]
    terminal.type("\n".join(lines) + "\n")
    terminal.type("printf '%s%s\\n' rea dy\n")
    terminal.read_until("ready")
    return terminal


def completed(terminal, keys):
    """The words with which the command was run after `keys`, in which a tab completes."""
    terminal.type(keys + "\r")
    return re.findall("<([^>]*)>", terminal.read_until(r"((?:<[^>\n]*>)+)!end").group(1))


def offered(completion, *words):
    """Of bash's function, everything that it offers for the last of the words."""
    script = ("source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _ddlbench; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    return subprocess.run(["bash", "-uc", script, "bash", completion, "ddlbench", *words], check=True,
                          capture_output=True, text=True).stdout.split()
