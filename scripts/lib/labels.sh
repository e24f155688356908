# shellcheck shell=bash disable=SC2034  # selection is for those who source this
# The labels of tests. Sourced after common.sh.

is_label() { [[ $1 =~ ^(unit|cli|docs|mpi|peers|net|slurm|gpu|slow)$ ]]; }

# select_labels LABELS EXCLUDED: sets `selection` to the options of ctest for these labels (words in one string). Without
# labels, these are all tests except those with the excluded labels and those that this machine cannot run.
select_labels() {
  local excluded=$2
  selection=()
  if [ -n "$1" ]; then
    selection=(--label-regex "^(${1// /|})\$")
    return
  fi
  has_gpu || excluded+=" gpu"
  command -v sbatch >/dev/null 2>&1 || excluded+=" slurm"
  command -v mpiexec >/dev/null 2>&1 || excluded+=" mpi"
  excluded=${excluded# }
  [ -n "$excluded" ] || return 0
  note "leaving out tests with the labels: $excluded"
  selection=(--label-exclude "^(${excluded// /|})\$")
}
