# shellcheck shell=bash
# Finds the Python that has Matplotlib and the one that has torch. Sourced after common.sh.

# Prints the first Python that has Matplotlib: only $PYTHON is tried if it is set, otherwise the one in PATH and the
# system's (a version manager's Python in PATH does not see the distribution's packages). Fails if there is none.
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

# Prints the first Python that has torch and torchvision: only $DDLBENCH_TORCH_PYTHON is tried if it is set, otherwise
# the system's (which has the distribution's packages) and the one in PATH. Fails if there is none.
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
