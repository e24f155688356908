"""Checks that are programs of the build: tests, sanitizers, micro-benchmarks."""

import json
import re
import shutil
import subprocess

import figures
import machine

GOAL = 0.85


def logged(context, name, command):
    """Output of a command, errors in it, kept as a log; and its exit code."""
    ended = subprocess.run(command, cwd=context.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors="replace", check=False)
    (context.output / f"{name}.log").write_text(ended.stdout, encoding="utf-8")
    return ended.stdout, ended.returncode


def tests(context):
    said, code = logged(context, "tests", ["ctest", "--test-dir", context.build, "--label-regex", "^gpu$",
                                           "--no-tests=error", "--output-on-failure"])
    counted = re.search(r"(\d+) tests failed out of (\d+)", said)
    if not counted:
        return figures.failed("ctest found no test labelled gpu" if "No tests were found" in said else "ctest broke off")
    bad, total = int(counted[1]), int(counted[2])
    skipped = len(re.findall(r"^ *\d+/\d+ Test .*\*\*\*Skipped", said, re.MULTILINE))
    if bad or code != 0:
        return figures.failed(f"{bad} of {total} tests", tests=total)
    return figures.run(f"{total - skipped} passed" + (f", {skipped} skipped" if skipped else ""), tests=total)


def sanitizer(tool):
    def check(context):
        if not shutil.which("compute-sanitizer"):
            return figures.not_run("there is no compute-sanitizer in PATH: many toolkits have it, Python wheels do not")
        binaries = sorted((context.build / "tests").glob("test_*_gpu"))
        if not binaries:
            return figures.failed("the build has no tests/test_*_gpu")
        for binary in binaries:
            said, code = logged(context, f"{tool}-{binary.name}",
                                ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", binary])
            summary = [line for line in said.splitlines() if "SUMMARY" in line]
            if code != 0 or not summary:
                return figures.failed(f"{binary.name} ended with {code}: {summary[-1] if summary else 'no summary'}")
        return figures.run(f"no errors in {len(binaries)} programs")
    return check


def benchmarks(context, name, pattern):
    """Counters and times of Google Benchmark by name; raises ValueError where nothing was measured."""
    out = context.output / f"{name}.json"
    out.unlink(missing_ok=True)
    logged(context, name, [context.build / "bench" / name, f"--benchmark_filter={pattern}",
                           f"--benchmark_out={out}", "--benchmark_out_format=json"])
    found = json.loads(out.read_text(encoding="utf-8"))["benchmarks"] if out.exists() else []
    broken = [one["name"] for one in found if one.get("error_occurred")]
    if broken or not found:
        raise ValueError(f"{name}: {', '.join(broken) or 'nothing was measured'}")
    return {one["name"]: one for one in found}


def launch(context):
    found = benchmarks(context, "micro_engine", "^steady_step/cuda/")
    micro = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
    seconds = {name.split("/")[2]: one["real_time"] * micro[one["time_unit"]] for name, one in found.items()}
    return figures.run(f"{seconds['graph']:.3g} µs with, {seconds['ops']:.3g} µs without", microseconds=seconds)


def bandwidth(context):
    memory = machine.memory_bytes_per_second()
    if memory is None:
        return figures.failed("the driver tells no clock or width of the memory")
    found = benchmarks(context, "micro_memory", "^cuda/")
    share = {name.split("/", 1)[1].replace("/real_time", ""): one["GB/s"] * 1e9 / memory for name, one in found.items()}
    least = min(share, key=share.get)
    reached = sum(value >= GOAL for value in share.values())
    return figures.run(f"{reached} of {len(share)} kernels reach {GOAL} of {memory / 1e12:.3g} TB/s; least {share[least]:.2f}: "
                       f"{least}", memory_bytes_per_second=memory, share_of_memory=share)


def bus(context):
    program = context.build / "bench" / "micro_comm_nccl"
    if not program.exists():
        return figures.not_run("the build has no bench/micro_comm_nccl")
    said, code = logged(context, "bus", [program, "--ranks", str(context.gpus)])
    own = re.findall(r"^all_reduce +ranks=(\d+) bytes=(\d+) bus_bytes_per_second=([\d.e+]+)$", said, re.MULTILINE)
    if code != 0 or not own:
        return figures.failed(f"micro_comm_nccl ended with {code}")
    largest = max(own, key=lambda one: int(one[1]))
    figure = f"{float(largest[2]) / 1e9:.4g} GB/s at {int(largest[1])} bytes on {largest[0]} GPUs"
    peer = shutil.which("all_reduce_perf")
    if not peer:
        return figures.run(f"{figure}; nccl-tests' all_reduce_perf is not in PATH", own=own)
    said, _ = logged(context, "bus-nccl-tests", [peer, "-b", largest[1], "-e", largest[1], "-g", str(context.gpus)])
    average = re.search(r"Avg bus bandwidth *: *([\d.]+)", said)
    return figures.run(f"{figure}; nccl-tests {average[1] if average else '?'} GB/s", own=own)
