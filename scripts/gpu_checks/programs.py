"""Checks that are programs of the build: tests, sanitizers, micro-benchmarks. Each can be run or rehearsed. A rehearsal
does everything that needs no GPU, and returns a description of what would run."""

import json
import re
import shutil
from dataclasses import dataclass

import catch
import figures
import machine

GOAL = 0.85
OURS = "ddlbench"  # in the name of each of our kernels and of no library's
OWN_OPS = "(?!conv2d|linear$|linear_backward).*"  # those that are not only a library's (test::on_each)


@dataclass(frozen=True)
class Tests:
    binary: str
    needs_gpu: bool = True

    def run(self, context):
        binary = context.program(f"tests/{self.binary}")
        cases = catch.divided(context.runner, binary)
        number = len(catch.names_of(cases))
        if self.needs_gpu:
            bad = catch.failing(context.runner, binary, cases)
            why = f"{len(catch.names_of(bad))} of {number} cases: " + "; ".join(f"{case} {how}" for case, how in bad.items())
        else:
            said, bad = context.runner([binary])
            why = f"ended with {bad}: {said.strip()[-300:]}"
        if bad:
            return figures.failed(why, tests=number)
        return figures.run(f"{number} cases passed", tests=number)

    def rehearse(self, context):
        if self.needs_gpu:
            cases = catch.divided(context.runner, context.program(f"tests/{self.binary}"))
            return f"{len(catch.names_of(cases))} cases of {self.binary}"
        result = self.run(context)
        if result["state"] != figures.RUN:
            raise ValueError(result["reason"])
        return f"{self.binary}, which needs no GPU and ran: {result['figure']}"


@dataclass(frozen=True)
class Sanitizer:
    """Checks only our kernels. Errors that CUDA calls return are not reported: tests provoke such errors on purpose,
    and each of our calls is checked where it is made (kernels/cuda/check.h), so that the tests themselves find other
    errors."""
    tool: str
    binary: str = "test_kernels_gpu"

    def command(self):
        return ["compute-sanitizer", "--tool", self.tool, "--report-api-errors", "no", "--print-limit", "20",
                "--kernel-name", f"kernel_substring={OURS}", "--error-exitcode", "9"]

    def run(self, context):
        if not shutil.which("compute-sanitizer"):
            return figures.not_run("there is no compute-sanitizer in PATH: many toolkits have it, Python wheels do not")
        binary = context.program(f"tests/{self.binary}")
        cases = [catch.Case(name, OWN_OPS) for name in catch.names(context.runner, binary)]
        bad = catch.failing(context.runner, binary, cases, self.command(), failure_of_sanitizer)
        if bad:
            return figures.failed(f"{len(bad)} of {len(cases)} cases: " + "; ".join(f"{case}: {how}" for case, how in bad.items()))
        return figures.run(f"no errors in {len(cases)} cases that passed")

    def rehearse(self, context):
        there = "is here" if shutil.which("compute-sanitizer") else "is not here"
        return f"{self.binary} under compute-sanitizer, which {there}"


def failure_of_sanitizer(said, code):
    """Returns what the sanitizer found, or that the case itself failed: then it has not checked the rest of it."""
    found = re.findall(r"SUMMARY: (\d+) (?:errors?|hazards?)", said)
    if sum(map(int, found)):
        return f"{found[-1]} errors"
    passed = "All tests passed" in said or code == 77
    unused = "terminated before first instrumented API call" in said  # the case does not use the GPU
    if passed and (found or unused):
        return ""
    return f"it ended with {code}{'' if found else ', without a summary'}: {said.strip()[-200:]}"


def benchmarks(context, name, pattern):
    """Returns counters and times of Google Benchmark by name. Raises ValueError if nothing was measured."""
    out = context.scratch / f"{name}.json"
    out.unlink(missing_ok=True)
    context.runner([context.program(f"bench/{name}"), f"--benchmark_filter={pattern}", f"--benchmark_out={out}",
                    "--benchmark_out_format=json"])
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
        return figures.failed("the driver does not report the clock or width of the memory")
    found = benchmarks(context, "micro_memory", "^cuda/")
    share = {name.split("/", 1)[1].replace("/real_time", ""): one["GB/s"] * 1e9 / memory for name, one in found.items()}
    least = min(share, key=share.get)
    reached = sum(value >= GOAL for value in share.values())
    return figures.run(f"{reached} of {len(share)} kernels reach {GOAL} of {memory / 1e12:.3g} TB/s; least {share[least]:.2f}: "
                       f"{least}", memory_bytes_per_second=memory, share_of_memory=share,
                       megabytes={name.split("/", 1)[1].replace("/real_time", ""): one["MB"] for name, one in found.items()})


def bus(context):
    said, code = context.runner([context.program("bench/micro_comm_nccl"), "--ranks", context.gpus])
    own = re.findall(r"^all_reduce +ranks=(\d+) bytes=(\d+) bus_bytes_per_second=([\d.e+]+)$", said, re.MULTILINE)
    if code != 0 or not own:
        return figures.failed(f"micro_comm_nccl ended with {code}")
    largest = max(own, key=lambda one: int(one[1]))
    figure = f"{float(largest[2]) / 1e9:.4g} GB/s at {int(largest[1])} bytes on {largest[0]} GPUs"
    peer = shutil.which("all_reduce_perf")
    if not peer:
        return figures.run(f"{figure}; nccl-tests' all_reduce_perf is not in PATH", own=own)
    said, _ = context.runner([peer, "-b", largest[1], "-e", largest[1], "-g", context.gpus])
    average = re.search(r"Avg bus bandwidth *: *([\d.]+)", said)
    return figures.run(f"{figure}; nccl-tests {average[1] if average else '?'} GB/s", own=own)


@dataclass(frozen=True)
class Benchmark:
    run: object  # (Context) -> a result of figures.py
    binary: str

    def rehearse(self, context):
        said, code = context.runner([context.program(f"bench/{self.binary}"), "--help"], 60)
        if code != 0:
            raise ValueError(f"{self.binary} does not start: {said.strip()[-300:]}")
        return self.binary
