#include "comm/process_place.h"

#include <cstdlib>

#include "catch.h"
#include "variable.h"

using namespace ddlbench::comm;
using ddlbench::test::Variable;

TEST_CASE("a process reads its rank and size from the launcher's environment, if there is a launcher") {
  CHECK(!process_place());
  {
    const Variable task("SLURM_PROCID", "0"), tasks("SLURM_NTASKS", "4");
    CHECK(!process_place());  // a shell in a Slurm job
    const Variable rank("PMI_RANK", "2"), size("PMI_SIZE", "4");
    REQUIRE(process_place());
    CHECK(process_place()->rank == 2);
    CHECK(process_place()->size == 4);
  }
  const Variable rank("OMPI_COMM_WORLD_RANK", "0");
  CHECK(!process_place());
  const Variable size("OMPI_COMM_WORLD_SIZE", "1");
  CHECK(process_place()->size == 1);
  const Variable wrong("PMI_RANK", "two"), four("PMI_SIZE", "4");
  CHECK(process_place()->size == 1);
}

TEST_CASE("a process reads its local rank from the launcher's environment") {
  const Variable local("MPI_LOCALRANKID", "3");
  CHECK_FALSE(local_rank().has_value());  // no launcher started this process
  const Variable rank("PMI_RANK", "7"), size("PMI_SIZE", "8");
  CHECK(local_rank() == 3);
  unsetenv("MPI_LOCALRANKID");
  CHECK_FALSE(local_rank().has_value());
  const Variable slurm("SLURM_LOCALID", "2");
  CHECK(local_rank() == 2);
}
