"""loader_rate and machine_probe: the line of JSON that they print, and which arguments they reject."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

LOADER_RATE, MACHINE_PROBE, MAKE_PHOTOS = sys.argv[1:]


def run(*words):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stdout, done.stderr


def rejected(*words):
    code, out, err = run(*words)
    assert (code, out) == (2, ""), (words, code, out)
    return err


with tempfile.TemporaryDirectory() as temporary:
    photos = Path(temporary) / "photos"
    code, _, said = run(MAKE_PHOTOS, photos, "--classes", 2, "--per-class", 4, "--size", "40x30")
    assert code == 0, said
    code, out, said = run(LOADER_RATE, photos, "--size", 16, "--batch", 4, "--seconds", 0.05)
    assert code == 0, said
    rate = json.loads(out)
    assert rate["seconds"] >= 0.05 and rate["samples"] > 0 and rate["samples"] % 8 == 0, rate
    assert abs(rate["samples_per_second"] * rate["seconds"] / rate["samples"] - 1) < 1e-6, rate
    assert "nowhere" in rejected(LOADER_RATE, Path(temporary) / "nowhere")
    for wrong in (["--size", 0], ["--batch", 0], ["--seconds", 0]):
        rejected(LOADER_RATE, photos, *wrong)

code, out, said = run(MACHINE_PROBE, "--threads", 1)
assert code == 0, said
probe = json.loads(out)
assert (probe["threads"], probe["precision"]) == (1, "fp32"), probe
assert probe["matmul_flops_per_second"] > 1e6 and probe["memory_bytes_per_second"] > 1e6, probe
for wrong in (["--threads", 0], ["--threads", 100000], ["--precision", "fp12"]):
    rejected(MACHINE_PROBE, *wrong)
