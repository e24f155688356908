#include "bench/slurm/allocation.h"

#include "base/error.h"
#include "catch.h"
#include "failure.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

Devices over(const std::string& transport) {
  Devices devices;
  devices.transport = transport;
  devices.threads_per_rank = 2;
  return devices;
}

}  // namespace

TEST_CASE("ranks that are threads share one task") {
  CHECK(allocation_for(over("threads"), 4, {}) == Allocation{1, 1, 8, 0});
  Devices unset = over("threads");
  unset.threads_per_rank = 0;
  CHECK(allocation_for(unset, 4, {}) == Allocation{1, 1, 4, 0});
  CHECK(allocation_for(unset, 4, {{}, 6}) == Allocation{1, 1, 24, 0});
}

TEST_CASE("ranks that are processes are tasks, spread evenly over as few nodes as possible") {
  const Devices devices = over("mpi");
  CHECK(allocation_for(devices, 4, {}) == Allocation{1, 4, 2, 0});
  CHECK(allocation_for(devices, 4, {8, {}}) == Allocation{1, 4, 2, 0});
  CHECK(allocation_for(devices, 64, {8, 3}) == Allocation{8, 8, 3, 0});
  CHECK(allocation_for(devices, 6, {4, {}}) == Allocation{2, 3, 2, 0});
  CHECK(allocation_for(devices, 7, {4, {}}) == Allocation{2, 4, 2, 0});
}

TEST_CASE("each rank on a GPU has one") {
  Devices devices = over("mpi");
  devices.derived.is_accelerator = true;
  CHECK(allocation_for(devices, 8, {4, {}}) == Allocation{2, 4, 2, 4});
  devices.transport = "threads";
  CHECK(allocation_for(devices, 4, {}) == Allocation{1, 1, 8, 4});
}

TEST_CASE("threads of one process do not spread over nodes") {
  test::check_says(test::failure_of<InputError>([] {
                     allocation_for(over("threads"), 8, {4, {}});
                   }),
                   "8 ranks do not fit into a node with --ranks-per-node 4; use --set /devices/transport=mpi");
}

TEST_CASE("an allocation encloses others") {
  CHECK(enclosing({1, 4, 2, 0}, {1, 4, 2, 0}) == Allocation{1, 4, 2, 0});
  CHECK(enclosing({1, 1, 32, 0}, {2, 4, 1, 4}) == Allocation{2, 4, 8, 4});
  CHECK(enclosing({2, 3, 1, 0}, {1, 1, 4, 0}) == Allocation{2, 3, 2, 0});
}

TEST_CASE("an allocation is described in words") {
  CHECK(describe({1, 1, 1, 0}) == "1 node with 1 task of 1 core");
  CHECK(describe({2, 4, 3, 4}) == "2 nodes, each with 4 tasks of 3 cores and 4 GPUs");
}
