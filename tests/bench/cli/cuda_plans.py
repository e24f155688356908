"""cuda_plans: what it plans for a small model without a GPU, and which arguments it rejects."""

import json
import re
import subprocess
import sys


def run(*arguments):
    done = subprocess.run([sys.argv[1], *map(str, arguments)], capture_output=True, text=True, timeout=240, check=False)
    return done.returncode, done.stdout, done.stderr


def planned(*arguments):
    code, said, wrong = run("--json", *arguments)
    assert code == 0, wrong
    return json.loads(said)


lenet = planned("--model", "lenet", "--batch", 8, "--precision", "tf32")
convolutions, products = lenet["summary"]
assert (convolutions["what"], convolutions["launches"]) == ("convolutions", 5), convolutions  # no gradient of the input
assert (products["what"], products["launches"]) == ("matrix products", 9), products
for row in lenet["launches"]:
    assert row["algorithm"] and row["workspace_bytes"] >= 0, row
    assert row["algorithm"].startswith("engine ") == row["op"].startswith("conv2d"), row
    assert row["tensor_cores"] in ("yes", "no", "?"), row
assert sum(row["tensor_cores"] == "yes" for row in lenet["launches"] if row["op"].startswith("conv2d")) \
    == convolutions["tensor_cores"] <= convolutions["any_tensor_cores"], convolutions
# 6 filters of 1 x 5 x 5 values take 600 bytes, and 624 with their bias, a multiple of 16; half of that in 16 bits.
assert [row["launch"] for row in lenet["launches"] if not row["aligned"]] == ["conv1", "conv1.backward_weight"], lenet
narrow = planned("--model", "lenet", "--batch", 8, "--precision", "bf16")
assert [row["launch"] for row in narrow["launches"] if row["aligned"]] \
    == ["fc3", "fc3.backward_input", "fc3.backward_weight"], narrow["launches"]
# cuBLAS gets copies of what is not aligned, and does not add a bias that is not.
for row in narrow["launches"]:
    if not row["op"].startswith("conv2d"):
        assert re.search("aligned to 16, 16, 16(, bias 16)? bytes", row["algorithm"]), row

plain = planned("--model", "lenet", "--batch", 8, "--precision", "fp32")
assert all(row["tensor_cores"] == "no" for row in plain["launches"]), plain
assert [row["launch"] for row in plain["launches"]] == [row["launch"] for row in lenet["launches"]]

code, said, wrong = run("--model", "lenet", "--batch", 8)
assert code == 0 and "convolutions: 5 launches; tensor cores in" in said, (said, wrong)
for unknown, named in ((("--architecture", 91), "75, 80, 90, 100"), (("--precision", "fp8"), "fp8"), (("--batch", 0), "batch")):
    code, said, wrong = run("--model", "lenet", *unknown)
    assert code == 2 and named in said + wrong, (unknown, said, wrong)
code, said, wrong = run("--model", "lenett")
assert code == 2 and "lenet" in wrong, wrong
code, said, wrong = run("--help")
assert code == 0 and "--architecture" in said and "without a GPU" in said, said
