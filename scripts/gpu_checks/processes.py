"""Runs the programs of a check, each within the check's time, and writes all their output to one log."""

import os
import signal
import subprocess
import sys
import threading
import time


class OutOfTime(Exception):
    """A check has used up its time. `figure` is what it had learned by then, if anything."""

    def __init__(self, what, figure=""):
        super().__init__(what)
        self.figure = figure


def say(text):
    sys.stderr.write(f"gpu_check: {text}\n")  # in one piece, because checks run side by side
    sys.stderr.flush()


class Runner:
    """Starts programs in `folder` with `environment`; from several threads, too. The output of each goes into a file
    beside `log`, and is appended to `log` when it ends, with the seconds that it took."""

    def __init__(self, log, folder, environment, name="slot", lock=None):
        self.log, self.folder, self.environment, self.name = log, folder, environment, name
        self.deadline = None
        self.lock = lock or threading.Lock()
        self.running = set()
        self.started = 0

    def beside(self, name):
        """Returns another runner with the same log, for programs with another deadline."""
        return Runner(self.log, self.folder, self.environment, name, self.lock)

    def begin(self, seconds):
        self.deadline = time.monotonic() + seconds

    def left(self):
        return self.deadline - time.monotonic()

    def note(self, text):
        """Prints a text and appends it to the log."""
        say(text)
        self.append(f"## {text}\n".encode())

    def append(self, output):
        with self.lock, open(self.log, "ab") as file:
            file.write(output)

    def __call__(self, command, seconds=None, environment=None):
        """Runs a program, with these additional variables of the environment. Returns its output and its exit code.
        Raises OutOfTime if the check's time, or `seconds`, is over."""
        command = [str(word) for word in command]
        if self.left() <= 0:
            raise OutOfTime(os.path.basename(command[0]))
        with self.lock:
            self.started += 1
            path = f"{self.log}.{self.name}.{self.started}"
        with open(path, "wb+") as file:
            process = subprocess.Popen(command, cwd=self.folder, env={**self.environment, **(environment or {})},
                                       stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                       start_new_session=True)
            self.running.add(process)
            began = time.monotonic()
            try:
                process.wait(max(0.0, min(self.left(), seconds or self.left())))
            except subprocess.TimeoutExpired:
                raise OutOfTime(os.path.basename(command[0])) from None
            finally:
                end(process)
                self.running.discard(process)
                file.seek(0)
                output = file.read()
                self.append(f"{self.name}$ {' '.join(command)}\n".encode() + output + f"# {time.monotonic() - began:.1f} s\n".encode())
                os.remove(path)
            return output.decode(errors="replace"), process.returncode

    def end_all(self):
        """Kills all programs that run; the check's time is over."""
        self.deadline = 0.0
        for process in list(self.running):
            end(process)


def end(process):
    """Kills a process with everything that it started, which is in its session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
