#!/usr/bin/env bash
# Tests scripts/overfit on photographs that make_photos draws: all are right in the end, and the exit code is 1 if the
# training is too short.
#
#   tests/scripts/overfit.sh DDLBENCH MAKE_PHOTOS
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export DDLBENCH=$1
"$2" "$folder/photos" --classes 8 --per-class 8 --size 64x48 --seed 1

"$root/scripts/overfit" "$folder/photos" --set /training/epochs=10 | tee "$folder/said"
grep -q '^final accuracy: 100.0%$' "$folder/said"

code=0
"$root/scripts/overfit" "$folder/photos" --set /training/epochs=1 --set /training/warmup_steps=0 \
  --set /training/optimizer/learning_rate=1e-7 || code=$?
[ "$code" -eq 1 ]
