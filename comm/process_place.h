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

}  // namespace ddlbench::comm
