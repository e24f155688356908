# shellcheck shell=bash
# Which Python draws, and which has torch. Sourced after common.sh.

# Prints the first Python that has Matplotlib: $PYTHON alone where it is set, else the one in PATH or the system's
# (a version manager's Python in PATH does not see the distribution's packages). Fails where there is none.
python_with_matplotlib() {
  local candidate
  for candidate in ${PYTHON:-python3 /usr/bin/python3}; do
    if "$candidate" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("matplotlib"))' 2>/dev/null; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

# Prints the first Python that has torch and torchvision: $DDLBENCH_TORCH_PYTHON alone where it is set, else the system's
# (which has the distribution's packages) or the one in PATH. Fails where there is none.
python_with_torch() {
  local candidate
  for candidate in ${DDLBENCH_TORCH_PYTHON:-/usr/bin/python3 python3}; do
    if "$candidate" -c 'import importlib.util as u, sys
sys.exit(not all(map(u.find_spec, ("torch", "torchvision"))))' 2>/dev/null; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}
