#!/bin/bash
# Example: an experiment over MPICH on two CPU nodes. Submit it with: sbatch scripts/slurm/cpu_nodes.sh
#
# 2 nodes with 4 ranks each and 8 cores per rank: the experiment should set "threads_per_rank": 8 and "ranks": [1, 2, 4, 8].
#SBATCH --job-name=ddlbench
#SBATCH --time=01:00:00
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=8
# The log of each job has its own name.
#SBATCH --output=ddlbench-%j.log

# The site's modules, if it has any: MPICH, and what ddlbench was built with.
# module load mpich

# mpiexec starts one process on each node by srun. Slurm must not bind that process to one core.
export SLURM_CPU_BIND=none

# ddlbench starts each case on the nodes of this job with an mpiexec of its own. Each job writes into a new folder.
exec "${DDLBENCH:-build/ddlbench}" "${1:-configs/quickstart.json}" --set /devices/transport=mpi --output "results/slurm-$SLURM_JOB_ID"
