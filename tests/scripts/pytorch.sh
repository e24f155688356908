#!/usr/bin/env bash
# Runs scripts/test with programs that do nothing instead of apt-get, cmake and ctest, on a machine without PyTorch, and
# checks for which arguments it installs PyTorch.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../scripts" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$scripts" "$folder/scripts"
echo 'python_with_torch() { return 1; }' >>"$folder/scripts/lib/python.sh"
cat >>"$folder/scripts/lib/packages.sh" <<'END'
require_packages() { :; }
require_versions() { :; }
can_be_root() { return 0; }
as_root() { printf '%s\n' "$*" >>"$root/installed"; }
END
mkdir "$folder/bin"
for program in apt-get cmake ctest; do
  printf '#!/bin/sh\n' >"$folder/bin/$program"
done
printf '#!/bin/sh\necho python3-torch python3-torchvision libopenblas0-pthread\n' >"$folder/bin/apt-cache"
chmod +x "$folder"/bin/*

# installs ARGUMENT…: whether scripts/test then installs PyTorch.
installs() {
  : >"$folder/installed"
  env -u DDLBENCH_TORCH_PYTHON PATH="$folder/bin:$PATH" "$folder/scripts/test" "$@" >"$folder/log" 2>&1 || {
    echo "scripts/test $* failed:"
    cat "$folder/log"
    exit 1
  }
  grep -q 'install.*python3-torch' "$folder/installed"
}

for arguments in --peers peers --all '--strict --peers'; do
  # shellcheck disable=SC2086  # separate words
  installs $arguments || { echo "scripts/test $arguments did not install PyTorch"; exit 1; }
done
for arguments in '' unit --strict; do
  # shellcheck disable=SC2086  # separate words
  ! installs $arguments || { echo "scripts/test $arguments installed PyTorch"; exit 1; }
done
