"""Runs processes. Returns what each printed and its peak resident memory."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

# Variables that a shell may have set for other programs are not part of either side's settings.
NOT_INHERITED = ("OMP_", "GOMP_", "KMP_", "MKL_", "MALLOC_", "DNNL_", "ONEDNN_", "LD_PRELOAD")


class Failed(Exception):
    """A side did not run to its end; the message says why."""


@dataclass(frozen=True)
class Ended:
    output: str
    seconds: float
    peak_resident_bytes: int  # of the largest process: itself, or one that it waited for


def end_with_children():
    """Turns termination signals into exceptions, so that started processes end, too: they lead sessions of their
    own."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


def environment(extra):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(NOT_INHERITED)}
    return {**inherited, **extra}


def written(command, extra=None):
    """Returns a command as a person would type it."""
    return " ".join([f"{name}={value}" for name, value in (extra or {}).items()] + [str(word) for word in command])


def together(commands, extra=None, timeout=1800):
    """Starts all of [(command, its own variables)] and waits for them. Raises Failed if one fails, and then ends the
    others."""
    began = time.monotonic()
    started = []
    try:
        for command, own in commands:
            out, err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
            process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=err, text=True,
                                       env=environment({**(extra or {}), **own}), start_new_session=True)
            started.append((process, out, err))
        ended = [None] * len(started)
        while None in ended:
            if time.monotonic() - began > timeout:
                raise Failed(f"{started[ended.index(None)][0].args[0]} took more than {timeout} s")
            time.sleep(0.02)
            ended = [known or how_it_ended(*one, began) for known, one in zip(ended, started)]
        return ended
    finally:
        for process, out, err in started:
            if process.returncode is None:
                end(process)
            out.close()
            err.close()


def run(command, extra=None, timeout=1800):
    return together([(command, {})], extra, timeout)[0]


def how_it_ended(process, out, err, began):
    """Returns None while the process runs. Raises Failed if it failed."""
    ended, status, usage = os.wait4(process.pid, os.WNOHANG)
    if not ended:
        return None
    process.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    out.seek(0)
    err.seek(0)
    if process.returncode != 0:
        raise Failed(f"{process.args[0]} ended with {process.returncode}: {err.read().strip()[-1500:]}")
    return Ended(out.read(), time.monotonic() - began, usage.ru_maxrss * 1024)


def end(process):
    """Ends a process and what it started; it leads a session of its own. On SIGTERM ddlbench ends its ranks itself."""
    for number, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, number)
            process.wait(patience)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            pass
