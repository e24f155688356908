#!/usr/bin/env bash
# Configures the presets that scripts/test builds only on request, so that they do not break unnoticed.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
presets=(debug package asan-ubsan tsan coverage)
if command -v clang++ >/dev/null; then presets+=(fuzz); fi
for preset in "${presets[@]}"; do
  cmake --preset "$preset" -B "$folder/$preset" --log-level=WARNING -Wno-dev >"$folder/log" 2>&1 || {
    echo "the preset $preset cannot be configured:"
    cat "$folder/log"
    exit 1
  }
done
