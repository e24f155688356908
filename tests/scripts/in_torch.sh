#!/usr/bin/env bash
# usage: in_torch.sh TEST.py: runs a test of this folder in the Python that has torch
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
source "$here/../../scripts/lib/common.sh"
source "$root/scripts/lib/python.sh"

python=$(python_with_torch) || {
  note "skipped: no Python here has torch and torchvision"
  exit 77
}
OMP_NUM_THREADS=1 exec "$python" -B "$root/tests/scripts/$1"
