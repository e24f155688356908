#!/bin/bash
# resnet50: 2 cases on 4 ranks.
# Written by ddlbench slurm. Submit it with: sbatch /data/study/slurm/ranks-4.sh

#SBATCH --job-name=resnet50-ranks-4
#SBATCH --partition=gpu
#SBATCH --account=dl
#SBATCH --time=01:00:00
# 1 node with 4 tasks of 8 cores and 4 GPUs
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --gres=gpu:a100:4
#SBATCH --chdir=/data/user
#SBATCH --output=/data/study/slurm/ranks-4.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR2@60
#SBATCH --qos=long

ddlbench=/opt/ddlbench/bin/ddlbench
experiment=/data/study/slurm/experiment.json
slurm_folder=/data/study/slurm
job=ranks-4
cases='-r4(-|$)'  # a regular expression that selects the cases by their ids; empty: all
folder=/data/study/$job  # the results of this job, with a journal of their own
options=(--retries=2)  # further options of ddlbench

module load mpich nccl

most_timeouts=3                     # after so many time-outs the job is not requeued again
timeouts_file=$slurm_folder/$job.timeouts

# Hydra starts a process on each node by srun. Without this, Slurm may bind that process, and with it the ranks of the
# node, to one core. ddlbench binds the threads of each rank itself.
export SLURM_CPU_BIND=none

# Slurm sends SIGUSR2 (--signal) near the time limit, and SIGTERM at the end of the job. ddlbench then saves its results and
# ends; `asked` is the reason.
asked=
stop() { # REASON SIGNAL
  asked=$1
  kill -s "$2" "$ddlbench_process" 2>/dev/null
}
trap 'stop time-out USR2' USR2
trap 'stop end TERM' TERM

arguments=(--config "$experiment" --output "$folder")
[ -n "$cases" ] && arguments+=("--filter=$cases")
# A journal belongs to an earlier start of this job: ddlbench runs what is missing, unless that start ended before it had
# planned its cases.
if grep --quiet '"kind":"plan"' "$folder/journal.jsonl" 2>/dev/null; then
  arguments=(--resume "$folder")
elif [ -e "$folder/journal.jsonl" ]; then
  rm -r "$folder"
fi
arguments+=("${options[@]}")
echo "job $SLURM_JOB_ID on $SLURM_JOB_NODELIST, restarts: ${SLURM_RESTART_COUNT:-0}: $ddlbench ${arguments[*]}"
"$ddlbench" "${arguments[@]}" &
ddlbench_process=$!
wait "$ddlbench_process"
code=$?
while [ $code -gt 128 ] && kill -0 "$ddlbench_process" 2>/dev/null; do # a signal only interrupted the wait
  wait "$ddlbench_process"
  code=$?
done

preempted() { scontrol show job "$SLURM_JOB_ID" 2>/dev/null | grep --quiet 'PreemptTime=[0-9]'; }
requeue() {
  echo "requeued after $asked"
  scontrol requeue "$SLURM_JOB_ID"
}
if [ $code -gt 128 ]; then          # ddlbench stopped before its end
  [ -n "$asked" ] || sleep 1        # Slurm signals all processes of a job, and ddlbench may be the first to notice
  [ $code -eq 142 ] && [ -z "$asked" ] && asked=time-out # it ended by itself: no further case fits into the time left
  preempted && asked=preemption
  case $asked in
    preemption) requeue ;;
    time-out)
      timeouts=$(($(cat "$timeouts_file" 2>/dev/null || echo 0) + 1))
      echo "$timeouts" >"$timeouts_file"
      if [ "$timeouts" -le "$most_timeouts" ]; then requeue; else echo "not requeued: time-out number $timeouts"; fi
      ;;
  esac
fi
exit $code
