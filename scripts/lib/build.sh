# shellcheck shell=bash disable=SC2154  # root comes from common.sh
# Configure and build. Sourced after common.sh.

# configure PRESET [cmake options…]: fast if nothing has changed. Prints notices and warnings only.
configure() {
  local preset=$1
  shift
  (cd "$root" && cmake --log-level=NOTICE --preset "$preset" "$@" >&2) ||
    die "configuring failed (see above). Remedy: install what is missing, or add its prefix to CMAKE_PREFIX_PATH; then remove the build folder and run this again."
}

# build PRESET [targets…]: one line of progress on a terminal; in a log, only what fails.
build() {
  local preset=$1
  shift
  local quiet=(--quiet)
  [ -t 2 ] && quiet=()
  note "building ${*:-everything} (preset $preset)"
  (cd "$root" && cmake --build --preset "$preset" ${1+--target "$@"} -- ${quiet[@]+"${quiet[@]}"} >&2) || die "building failed (see above)."
}
