"""Describes the GPUs of this machine, and what a result refers to: GPU, driver, commit, date."""

import ctypes
import datetime
import json
import platform
import subprocess
from pathlib import Path


def _lines(*command, **options):
    try:
        ended = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    except OSError:
        return []
    return ended.stdout.strip().splitlines() if ended.returncode == 0 else []


def gpus():
    """Returns [(name, driver)], empty without a GPU or a driver."""
    query = _lines("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    return [tuple(part.strip() for part in line.rsplit(",", 1)) for line in query if "," in line]


def memory_bytes_per_second():
    """Returns the memory bandwidth of the first GPU, from clock and bus width with two transfers per clock; None if the
    driver does not report them."""
    clock_kilohertz, bus_bits = 36, 37  # CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, …_GLOBAL_MEMORY_BUS_WIDTH
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    values = [ctypes.c_int(0), ctypes.c_int(0)]
    if driver.cuInit(0) != 0 or any(driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, 0) != 0
                                    for value, attribute in zip(values, (clock_kilohertz, bus_bits))):
        return None
    return 2e3 * values[0].value * values[1].value / 8 or None


def described(said):
    """Returns the output of `ddlbench env` by names, which two spaces end."""
    return {name: value.strip() for name, _, value in (line.partition("  ") for line in said.splitlines())}


def commit(env):
    """Returns the commit that was built, with a + if the sources differed from it."""
    return (env.get("build.git_commit", "")[:12] or "unknown") + ("+" if env.get("build.git_dirty") == "true" else "")


def about(found, env):
    names = sorted({name for name, _ in found})
    count = f"{len(found)} × " if len(found) > 1 else ""
    return {"gpu": count + ", ".join(names), "driver": found[0][1] if found else "", "commit": commit(env),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")}


def write_environment(path, env, libraries, torch):
    """Writes `env` by names, and what was found besides. Paths below the home folder begin with ~."""
    whole = {"when": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "ddlbench": env,
             "libraries": libraries, "torch": torch or None, "python": platform.python_version(),
             "clocks": _lines("nvidia-smi", "--query-gpu=clocks.sm,clocks.mem,clocks.max.sm,power.limit,mig.mode.current",
                              "--format=csv")}
    text = json.dumps(whole, indent=2, ensure_ascii=False).replace(str(Path.home()) + "/", "~/")
    path.write_text(text + "\n", encoding="utf-8")
