"""The GPUs of this machine, and what a figure is of: GPU, driver, commit, date."""

import ctypes
import datetime
import subprocess


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


def commit(root):
    """Of the sources, with a + where they were changed since: from git, or from an archive's file COMMIT."""
    packed = root / "COMMIT"
    if packed.exists():
        lines = packed.read_text(encoding="utf-8").split()
        return lines[0][:12] + ("+" if "dirty" in lines else "")
    head = _lines("git", "rev-parse", "HEAD", cwd=root)
    changed = _lines("git", "status", "--porcelain", "--untracked-files=no", cwd=root)
    return head[0][:12] + ("+" if changed else "") if head else "unknown"


def about(root, found):
    names = sorted({name for name, _ in found})
    count = f"{len(found)} × " if len(found) > 1 else ""
    return {"gpu": count + ", ".join(names), "driver": found[0][1], "commit": commit(root),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")}
