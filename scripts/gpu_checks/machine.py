"""The GPUs of this machine, and what a figure is of: GPU, driver, commit, date."""

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
    """[(name, driver)], empty where there is no GPU or no driver."""
    query = _lines("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    return [tuple(part.strip() for part in line.rsplit(",", 1)) for line in query if "," in line]


def memory_bytes_per_second():
    """Of the first GPU, by the clock and width of its memory, two transfers a clock; None where the driver is silent."""
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
    """What `ddlbench env` printed, by names."""
    return {name: value.strip() for name, _, value in (line.partition(" ") for line in said.splitlines())}


def commit(env):
    """Of what was built, with a + where sources differed from it."""
    return (env.get("build.git_commit", "")[:12] or "unknown") + ("+" if env.get("build.git_dirty") == "true" else "")


def about(found, env):
    names = sorted({name for name, _ in found})
    count = f"{len(found)} × " if len(found) > 1 else ""
    return {"gpu": count + ", ".join(names), "driver": found[0][1] if found else "", "commit": commit(env),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")}


def write_environment(path, env, libraries, torch):
    """`env` by names, and what was found beside it; no folder of this user."""
    whole = {"when": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "ddlbench": env,
             "libraries": libraries, "torch": torch or None, "python": platform.python_version(),
             "clocks": _lines("nvidia-smi", "--query-gpu=clocks.sm,clocks.mem,clocks.max.sm,power.limit,mig.mode.current",
                              "--format=csv")}
    text = json.dumps(whole, indent=2, ensure_ascii=False).replace(str(Path.home()) + "/", "~/")
    path.write_text(text + "\n", encoding="utf-8")
