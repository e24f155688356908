#!/bin/bash
# Example: an experiment with NCCL on two nodes with four GPUs each. Submit it with: sbatch scripts/slurm/gpu_nodes.sh
#
# A rank has one GPU, which it chooses by its number on the node, and eight cores for the data loader.
#SBATCH --job-name=ddlbench-gpu
#SBATCH --time=01:00:00
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=8
# GPUs of each node. Not --gpus-per-task: each rank must see all GPUs of its node.
#SBATCH --gres=gpu:4
#SBATCH --output=ddlbench-gpu-%j.log

# The site's modules, if it has any: CUDA, cuDNN, NCCL, MPICH.
# module load cuda nccl mpich

# mpiexec starts one process on each node by srun. Slurm must not bind that process to one core.
export SLURM_CPU_BIND=none

# MPI starts the ranks, and NCCL carries their tensors.
exec "${DDLBENCH:-build-cuda/ddlbench}" "${1:-configs/gpu/resnet50.json}" --set /devices/kind=cuda --set /devices/transport=nccl \
  --set '/devices/ranks=[1, 2, 4, 8]' --set '/strategies=["single", "ddp"]' --output "results/slurm-$SLURM_JOB_ID"
