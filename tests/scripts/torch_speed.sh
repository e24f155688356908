#!/usr/bin/env bash
# Runs torch_speed.py in the Python that has torch.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"
source "$root/scripts/lib/python.sh"

python=$(python_with_torch) || {
  note "skipped: no Python here has torch and torchvision"
  exit 77
}
OMP_NUM_THREADS=1 exec "$python" -B "$root/tests/scripts/torch_speed.py"
