"""Trains the same network from the same weights on the same samples with ddlbench and with PyTorch, and compares.

Started by scripts/peers/torch_check, which finds a Python that has torch. In each case `ddlbench trace` trains some
steps on one rank and writes weights, batches and gradients. PyTorch loads these weights (strict) and does the same
steps on these batches. Losses, first gradients and updates are compared. In some cases PyTorch's weights then go back
to ddlbench, which continues to train from them. See docs/torch_check.md for the tolerances.

Exit codes: 0 all agree; 1 one does not; 2 usage; 77 there is no torch.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
import torchvision

from torch_peer import compare, safetensors, schedules, trace, training
from torch_peer.cases import all_cases

ROOT = Path(__file__).resolve().parents[2]


def check(case, arguments, folder):
    """Returns (errors, errors after the return to ddlbench or None, complaints)."""
    torch.manual_seed(1)
    network = case.network.build(case.network.dataset)
    dtype = torch.bfloat16 if case.training.get("precision") == "bf16" else torch.float32
    config = case.config(arguments.threads)
    if case.draw:
        case.draw(network, lambda: torch.from_numpy(trace.first_samples(arguments.ddlbench, config, folder).copy()))
        safetensors.write(folder / "drawn.safetensors", training.arrays(network.state_dict()))
        config["training"]["checkpoint"] = {"load": str(folder / "drawn.safetensors")}
    own, batches, told = trace.run(arguments.ddlbench, config, folder, "out", case.steps)
    recipe = trace.recipe_of(told)
    rates = schedules.rates(told, case.steps)
    peer = training.train(network, own.initial, batches, recipe, rates, dtype)
    errors = compare.errors_of(own, peer)
    found = compare.complaints(errors, case.tolerances)
    if arguments.double:
        exact = training.train(network, own.initial, batches, recipe, rates, torch.float64)
        for name, side in (("ddlbench", own), ("torch", peer)):
            print(f"  {name} from f64: {figures(compare.errors_of(side, exact))}", file=sys.stderr)
    back = None
    if case.returns:
        back, complaints = check_return(network, case, arguments, folder, config, peer)
        found += complaints
    return errors, back, found


def check_return(network, case, arguments, folder, config, peer):
    """Loads PyTorch's weights after the last step into ddlbench, and trains both on from them. Returns (errors,
    complaints)."""
    safetensors.write(folder / "from_torch.safetensors", peer.final)
    config["training"]["checkpoint"] = {"load": str(folder / "from_torch.safetensors")}
    own, batches, told = trace.run(arguments.ddlbench, config, folder, "back", 2)
    for name, values in peer.final.items():
        if name in peer.gradients and not (own.initial[name] == values).all():
            return None, [f"{name} is not what PyTorch wrote"]
    rates = schedules.rates(told, 2)
    # ddlbench counts batches from the start of its own training.
    for name in [name for name in own.final if name.endswith(".num_batches_tracked")]:
        own.final[name] = own.final[name] + peer.final[name]
    again = training.train(network, peer.final, batches, trace.recipe_of(told), rates)
    errors = compare.errors_of(own, again)
    found = [line for line in compare.complaints(errors, case.tolerances) if "moved" not in line]
    return errors, ["from PyTorch's weights: " + line for line in found]


def figures(errors):
    return f"loss {errors.loss:.1e}, gradient {errors.gradient:.1e}, update {errors.update:.1e}"


def chosen(arguments):
    cases = all_cases()
    if arguments.case:
        unknown = set(arguments.case) - {case.name for case in cases}
        if unknown:
            sys.exit(f"torch_check: unknown case {', '.join(sorted(unknown))}; --list names them")
        return [case for case in cases if case.name in arguments.case]
    return [case for case in cases if case.quick or not arguments.quick]


def parse():
    parser = argparse.ArgumentParser(prog="torch_check", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="every case (the default)")
    which.add_argument("--quick", action="store_true", help="only the small networks")
    which.add_argument("--case", action="append", metavar="NAME", help="this case; repeatable")
    which.add_argument("--list", action="store_true", help="list the cases without running them")
    parser.add_argument("--ddlbench", default=ROOT / "build" / "ddlbench", type=Path, metavar="FILE",
                        help="the binary (default: build/ddlbench)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="threads of each side")
    parser.add_argument("--double", action="store_true",
                        help="also print the distance of each side from PyTorch's f64; does not affect the result")
    return parser.parse_args()


def versions(binary):
    said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return (f"{said}, torch {torch.__version__}, torchvision {torchvision.__version__}, "
            f"Python {platform.python_version()}, {platform.machine()}")


def main():
    arguments = parse()
    if arguments.list:
        print("\n".join(case.name for case in all_cases()))
        return 0
    if not arguments.ddlbench.is_file():
        print(f"torch_check: there is no {arguments.ddlbench}: build it, or name it with --ddlbench", file=sys.stderr)
        return 2
    arguments.ddlbench = arguments.ddlbench.resolve()
    torch.set_num_threads(arguments.threads)
    print(versions(arguments.ddlbench), flush=True)
    print(f"\n{'case':<24} {'loss':>8} {'gradient':>9} {'update':>8} {'moved':>6} {'s':>5}  verdict", flush=True)
    failed = 0
    for case in chosen(arguments):
        began = time.monotonic()
        line, back, found = f"{'':>34}", None, []
        with tempfile.TemporaryDirectory(prefix="torch_check-") as folder:
            try:
                errors, back, found = check(case, arguments, Path(folder))
                line = f"{errors.loss:8.1e} {errors.gradient:9.1e} {errors.update:8.1e} {errors.move:6.0%}"
            except (trace.TraceFailed, ValueError, KeyError, RuntimeError) as error:
                found = [f"{type(error).__name__}: {error}"]
        verdict = "FAILED" if found else "ok"
        print(f"{case.name:<24} {line} {time.monotonic() - began:5.1f}  {verdict}", flush=True)
        if back:
            print(f"{'  and back':<24} {back.loss:8.1e} {back.gradient:9.1e} {back.update:8.1e}", flush=True)
        for what in found:
            print(f"    {what}", flush=True)
        failed += bool(found)
    print(f"\n{failed} of {len(chosen(arguments))} cases failed" if failed else "\nall agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
