# shellcheck shell=bash disable=SC2034,SC2154
# The packages that ddlbench is built from, and how a machine gets them. Sourced after common.sh.

# package | minimal version | needed or helpful (test-…, coverage-…: only for that) | how to detect it without dpkg | purpose
# To detect: a command, a header below a prefix's include/, a folder, or a Python module.
package_table='
g++                   | 11   | needed  | command c++                     | compiler of C++20
cmake                 | 3.22 | needed  | command cmake                   | configures the build
ninja-build           | 1.10 | needed  | command ninja                   | runs the build
ccache                | 4.0  | helpful | command ccache                  | makes rebuilding quick
libisal-dev           | 2.30 | needed  | header isa-l/igzip_lib.h        | reads compressed data sets
zlib1g-dev            | 1.2  | needed  | header zlib.h                   | checksums of records
libjpeg62-turbo-dev   | 2.0  | needed  | header jpeglib.h                | reads photographs (JPEG)
libpng-dev            | 1.6  | needed  | header png.h                    | reads images (PNG)
libdnnl-dev           | 2.6  | needed  | header dnnl.hpp                 | oneDNN: convolutions and matrix products on the CPU
nlohmann-json3-dev    | 3.10 | needed  | header nlohmann/json.hpp        | reads configurations
libcli11-dev          | 2.1  | needed  | header CLI/CLI.hpp              | the command line
libfmt-dev            | 8.0  | needed  | header fmt/core.h               | composes messages
libutf8proc-dev       | 2.7  | needed  | header utf8proc.h               | Unicode: characters and their classes
libre2-dev            | 2022 | needed  | header re2/re2.h                | regular expressions of --filter
catch2                | 2.13 | test-needed | header catch2                   | tests
git                   | 2.30 | test-needed | command git                     | tests of versions and archives
libbenchmark-dev      | 1.6  | test-helpful | header benchmark/benchmark.h    | micro-benchmarks
mpich                 | 4.0  | helpful | command mpiexec                 | starts ranks as processes
libmpich-dev          | 4.0  | helpful | command mpicc                   | communication between processes
libgloo-dev           | any  | helpful | header gloo/rendezvous/context.h | communication between processes without MPI
slurm-wlm             | 21.08 | test-helpful | command slurmctld             | tests of Slurm jobs, on a cluster that they start
munge                 | 0.5  | test-helpful | command munged                | the same: its authentication
python3               | 3.8  | needed  | command python3                 | tests of the source tree
python3-matplotlib    | 3.5  | test-helpful | module matplotlib               | plots
python3-jsonschema    | 4.0  | test-helpful | module jsonschema               | the test of the schema of configurations
gcovr                 | 5.0  | coverage-needed | command gcovr               | which lines the tests run
dataset-fashion-mnist | any  | needed  | folder /usr/share/datasets/fashion-mnist | the data set of the quickstart
'

# Prints the table with tabs between its columns.
package_fields() { sed 's/ *| */\t/g; s/ *$//; /^$/d' <<<"$package_table"; }

installed_by_dpkg() {
  command -v dpkg-query >/dev/null 2>&1 &&
    [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Prints the prefixes to search. Conda, Spack and environment modules name theirs in these variables.
prefixes() {
  local list="/usr:/usr/local:${CMAKE_PREFIX_PATH:-}:${CONDA_PREFIX:-}"
  printf '%s\n' "${list//[:;]/$'\n'}"
}

shows_itself() {
  local kind=$1 what=$2 prefix
  case $kind in
    command) command -v "$what" >/dev/null 2>&1 ;;
    folder) [ -d "$what" ] ;;
    module) python3 -c "import $what" >/dev/null 2>&1 ;;
    header)
      while read -r prefix; do
        [ -n "$prefix" ] && [ -e "$prefix/include/$what" ] && return 0
      done < <(prefixes)
      return 1
      ;;
  esac
}

# missing_packages [test] [coverage]: prints the lines of the table whose package this machine lacks.
missing_packages() {
  local package version need shows why
  while IFS=$'\t' read -r package version need shows why; do
    [[ $need == *-* && " $* " != *" ${need%-*} "* ]] && continue
    need=${need##*-}
    # shellcheck disable=SC2086  # two words: kind and name
    installed_by_dpkg "$package" || shows_itself $shows ||
      printf '%s\t%s\t%s\t%s\t%s\n' "$package" "$version" "$need" "$shows" "$why"
  done < <(package_fields)
}

explain() {
  local package version need shows why
  while IFS=$'\t' read -r package version need shows why; do
    printf '  %-22s %-8s %s\n' "$package" "($version)" "$why" >&2
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

can_be_root() {
  [ "$(id -u)" -eq 0 ] && return 0
  command -v sudo >/dev/null 2>&1 || return 1
  [ -t 0 ] || sudo -n true 2>/dev/null
}

apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get --quiet=2 "$@" >&2; }

install_with_apt() {
  local package
  for package in "$@"; do
    if [ -z "$(apt-cache madison "$package" 2>/dev/null)" ]; then
      note "apt does not know $package yet: updating the package lists"
      apt_get update || return 1
      break
    fi
  done
  apt_get install --yes --no-install-recommends "$@" && return 0
  note "installation failed: updating the package lists and trying again"
  apt_get update && apt_get install --yes --no-install-recommends "$@"
}

# require_packages [test] [coverage]: installs what is missing, after saying what and why. Exits with 4 and the remedy if something
# that is needed cannot be installed. Continues without what is only helpful.
require_packages() {
  local missing needed helpful why="there is no apt-get, or no permission to use it (root or sudo)"
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0

  if command -v apt-get >/dev/null 2>&1 && can_be_root; then
    note "this machine lacks (minimum version, purpose):"
    explain <<<"$missing"
    note "installing with apt-get"
    # shellcheck disable=SC2046  # one word each
    install_with_apt $(cut -f 1 <<<"$missing") && return 0
    why="apt-get failed (see above)"
    missing=$(missing_packages "$@")
  fi

  needed=$(awk -F '\t' '$3 == "needed"' <<<"$missing")
  helpful=$(awk -F '\t' '$3 == "helpful"' <<<"$missing")
  if [ -n "$helpful" ]; then
    note "continuing without these (Debian package, minimum version, purpose):"
    explain <<<"$helpful"
  fi
  [ -n "$needed" ] || return 0
  note "this machine lacks (Debian package, minimum version, purpose):"
  explain <<<"$needed"
  die "the script cannot install them: $why.
Remedy: ask for the packages above, or install them with conda, Spack or modules and set their prefixes:
  export CMAKE_PREFIX_PATH=/path/to/prefix:/path/to/another"
}

# Installs PyTorch if possible. Only the tests that compare ddlbench's numbers with it need it; without it they are
# skipped.
offer_pytorch() {
  python_with_torch >/dev/null && return 0
  if [ -z "${DDLBENCH_TORCH_PYTHON:-}" ] && command -v apt-get >/dev/null 2>&1 && can_be_root; then
    note "installing PyTorch (python3-torch, python3-torchvision, libopenblas0-pthread), to compare results with it"
    # With the reference BLAS, which Debian's PyTorch depends on, GPT-2 takes hours.
    install_with_apt python3-torch python3-torchvision libopenblas0-pthread && return 0
  fi
  note "continuing without PyTorch: tests with the label peers are skipped"
}

# Exits with 4 if a tool is too old.
require_versions() {
  local cmake_version compiler version
  cmake_version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
  version_at_least "$cmake_version" 3.22 ||
    die "CMake is $cmake_version, but 3.22 is needed. Remedy: use a newer system, or conda, Spack or modules; put CMake first in PATH."
  compiler=${CXX:-c++}
  command -v "$compiler" >/dev/null 2>&1 || die "the compiler '$compiler' does not exist. Remedy: set CXX to a compiler, or unset it."
  version=$("$compiler" -dumpfullversion -dumpversion 2>/dev/null || true)
  if "$compiler" --version 2>/dev/null | grep -qi clang; then
    version_at_least "$version" 14 || die "$compiler is Clang $version, but 14 is needed. Remedy: CXX=/path/to/newer scripts/$(basename "$0")"
  else
    version_at_least "$version" 11 || die "$compiler is GCC $version, but 11 is needed. Remedy: CXX=/path/to/newer scripts/$(basename "$0")"
  fi
}
