# shellcheck shell=bash disable=SC2034  # root is for those who source this
# Shared by the scripts of this folder's parent, sourced by bash. Messages go to stderr, results to stdout.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

note() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }

# Reports something that this machine lacks or that failed outside ddlbench. Exits with 4, as ddlbench itself does.
die() {
  note "$@"
  exit 4
}

has_gpu() { nvidia-smi --list-gpus 2>/dev/null | grep -q .; }

# version_at_least HAVE WANTED
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }
