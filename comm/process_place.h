#pragma once

#include <optional>

namespace ddlbench::comm {

/// Environment variables of the ranks that ddlbench starts itself.
inline constexpr const char* rank_variable = "DDLBENCH_RANK";
inline constexpr const char* ranks_variable = "DDLBENCH_RANKS";

/// The rank of this process among those that a launcher started together, and their number.
struct ProcessPlace {
  int rank = 0;
  int size = 1;
};

/// Reads the rank and size from the environment that the launcher set (ddlbench itself, mpiexec of MPICH, srun
/// --mpi=pmi2, mpiexec of Open MPI), without initialising MPI. Returns nothing if no launcher started this process; a
/// shell in a Slurm job is not a rank of it.
std::optional<ProcessPlace> process_place();

/// Returns the rank of this process among those on the same machine, if the launcher sets it: ddlbench, MPICH's Hydra
/// (MPI_LOCALRANKID), srun (SLURM_LOCALID), Open MPI, and launchers with PMI_LOCAL_RANK.
std::optional<int> local_rank();

}  // namespace ddlbench::comm
