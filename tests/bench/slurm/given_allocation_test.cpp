#include "bench/slurm/given_allocation.h"

#include <map>

#include "catch.h"
#include "contains.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

Environment variables(std::map<std::string, std::string> all) {
  return [all = std::move(all)](const std::string& name) -> std::optional<std::string> {
    const auto found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  };
}

Case on_ranks(int ranks, int threads) {
  Case which;
  which.id = "001-ddp-r" + std::to_string(ranks);
  which.ranks = ranks;
  which.threads_per_rank = threads;
  return which;
}

Devices over_mpi() {
  Devices devices;
  devices.transport = "mpi";
  return devices;
}

}  // namespace

TEST_CASE("counts by node are as Slurm writes them") {
  CHECK(parse_counts("2(x3),1") == std::vector<int>{2, 2, 2, 1});
  CHECK(parse_counts("16") == std::vector<int>{16});
  for (const char* other : {"", "x", "2(x", "2(x)", "2(3)", "0", "2,,1", "2(x2147483647)", "-1"}) {
    CAPTURE(other);
    CHECK_FALSE(parse_counts(other).has_value());
  }
}

TEST_CASE("an allocation is read from the variables of its job") {
  CHECK_FALSE(given_allocation(variables({})).has_value());
  const auto given = given_allocation(variables({{"SLURM_JOB_ID", "17"},
                                                 {"SLURM_JOB_CPUS_PER_NODE", "4(x2)"},
                                                 {"SLURM_TASKS_PER_NODE", "2(x2)"},
                                                 {"SLURM_GPUS_ON_NODE", "2"}}));
  REQUIRE(given.has_value());
  CHECK(given->job_id == "17");
  CHECK(given->nodes() == 2);
  CHECK(given->cpus() == 8);
  CHECK(given->tasks() == 4);
  CHECK(given->gpus_per_node == 2);
}

TEST_CASE("more threads than cores of the job are a warning with the remedy") {
  const GivenAllocation given{"17", {2}, {2}, {}};
  CHECK(check_allocation(given, over_mpi(), {on_ranks(2, 1)}).warnings.empty());
  const AllocationCheck found = check_allocation(given, over_mpi(), {on_ranks(2, 1), on_ranks(4, 1)});
  CHECK(found.error.empty());
  REQUIRE(found.warnings.size() == 1);
  CHECK(found.warnings[0] ==
        "001-ddp-r4 has 4 ranks × 1 thread, but job 17 has 2 cores on 1 node: they share cores, and the case is not "
        "ranked; "
        "ask for more cores, as with --ntasks=4 --cpus-per-task=1, or use fewer ranks or threads (/devices/ranks, "
        "/devices/threads_per_rank)");
}

TEST_CASE("ranks that are threads have only the cores of one node") {
  const GivenAllocation given{"17", {2, 2}, {1, 1}, {}};
  Devices threads;
  CHECK(check_allocation(given, threads, {on_ranks(4, 1)}).warnings.size() == 1);
  CHECK(check_allocation({"17", {2, 2}, {2, 2}, {}}, over_mpi(), {on_ranks(4, 1)}).warnings.empty());
}

TEST_CASE("fewer tasks than ranks are a warning") {
  const GivenAllocation given{"17", {4}, {1}, {}};
  const AllocationCheck found = check_allocation(given, over_mpi(), {on_ranks(4, 1)});
  REQUIRE(found.warnings.size() == 1);
  CHECK(test::contains(found.warnings[0], "001-ddp-r4 has 4 ranks, but job 17 has only 1 task"));
  CHECK(test::contains(found.warnings[0], "ask for --ntasks=4"));
}

TEST_CASE("ranks without a GPU are an error with the remedy") {
  Devices devices = over_mpi();
  devices.derived.is_accelerator = true;
  const GivenAllocation given{"17", {8, 8}, {2, 2}, 2};
  CHECK(check_allocation(given, devices, {on_ranks(4, 1)}).error.empty());
  CHECK(
      check_allocation(given, devices, {on_ranks(4, 1), on_ranks(8, 1)}).error ==
      "001-ddp-r8 needs 8 GPUs, but job 17 has 4 GPUs on 2 nodes; ask for more, as with --nodes=2 --ntasks-per-node=4 "
      "--gres=gpu:4, or run fewer ranks: --set /devices/ranks=4");
  CHECK(
      test::contains(check_allocation({"17", {8}, {2}, {}}, devices, {on_ranks(2, 1)}).error, "has 0 GPUs on 1 node"));
}

TEST_CASE("cases that do not run ask for nothing") {
  Case unsupported = on_ranks(64, 1);
  unsupported.unsupported = "too few layers";
  CHECK(check_allocation({"17", {2}, {2}, {}}, over_mpi(), {unsupported}).warnings.empty());
}

TEST_CASE("processes may use the cores of all nodes of a job, threads those of the first") {
  const GivenAllocation given{"17", {4, 2, 2}, {}, {}};
  const UsableCores processes = usable_cores(given, over_mpi(), 64);
  CHECK(processes.own == 4);
  CHECK(processes.others == 4);
  const UsableCores threads = usable_cores(given, Devices{}, 3);
  CHECK(threads.own == 3);
  CHECK(threads.others == 0);
}
