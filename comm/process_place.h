#pragma once

#include <optional>

namespace ddlbench::comm {

/// Where this process stands among those that an MPI launcher started together.
struct ProcessPlace {
  int rank = 0;
  int size = 1;
};

/// From the environment that the launcher made (mpiexec of MPICH, srun --mpi=pmi2, mpiexec of Open MPI), without
/// initialising MPI. Nothing where none started this process: a shell in a Slurm job is not a rank of it.
std::optional<ProcessPlace> process_place();

/// How many of those on the same machine come before this process, where the launcher tells: the hydra of MPICH
/// (MPI_LOCALRANKID), srun (SLURM_LOCALID), Open MPI, and launchers with PMI_LOCAL_RANK.
std::optional<int> local_rank();

}  // namespace ddlbench::comm
