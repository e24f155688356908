#include "comm/process_place.h"

#include <cstdlib>

#include "catch.h"
#include "environment_variable.h"

using namespace ddlbench::comm;
using ddlbench::test::EnvironmentVariable;

TEST_CASE("a process reads its rank and size from the launcher's environment, if there is a launcher") {
  CHECK(!process_place());
  {
    const EnvironmentVariable task("SLURM_PROCID", "0"), tasks("SLURM_NTASKS", "4");
    CHECK(!process_place());  // a shell in a Slurm job
    const EnvironmentVariable rank("PMI_RANK", "2"), size("PMI_SIZE", "4");
    REQUIRE(process_place());
    CHECK(process_place()->rank == 2);
    CHECK(process_place()->size == 4);
    const EnvironmentVariable own_rank(rank_variable, "1"), ranks(ranks_variable, "3");  // from ddlbench itself
    CHECK(process_place()->rank == 1);
    CHECK(process_place()->size == 3);
    CHECK(local_rank() == 1);
  }
  const EnvironmentVariable rank("OMPI_COMM_WORLD_RANK", "0");
  CHECK(!process_place());
  const EnvironmentVariable size("OMPI_COMM_WORLD_SIZE", "1");
  CHECK(process_place()->size == 1);
  const EnvironmentVariable wrong("PMI_RANK", "two"), four("PMI_SIZE", "4");
  CHECK(process_place()->size == 1);
}

TEST_CASE("a process reads its local rank from the launcher's environment") {
  const EnvironmentVariable local("MPI_LOCALRANKID", "3");
  CHECK_FALSE(local_rank().has_value());  // no launcher started this process
  const EnvironmentVariable rank("PMI_RANK", "7"), size("PMI_SIZE", "8");
  CHECK(local_rank() == 3);
  unsetenv("MPI_LOCALRANKID");
  CHECK_FALSE(local_rank().has_value());
  const EnvironmentVariable slurm("SLURM_LOCALID", "2");
  CHECK(local_rank() == 2);
}
