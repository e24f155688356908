#include "bench/slurm/given_allocation.h"

#include <map>

#include "catch.h"
#include "contains.h"
#include "environment_variable.h"
#include "temporary_folder.h"
#include "written_program.h"

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

Experiment over_mpi() {
  Experiment experiment;
  experiment.devices.transport = "mpi";
  return experiment;
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
  const AllocationCheck found = check_allocation(given, Experiment{}, {on_ranks(4, 1)});
  REQUIRE(found.warnings.size() == 1);
  CHECK(test::contains(found.warnings[0], "has 2 cores on 1 node"));
  CHECK(test::contains(found.warnings[0], "as with --ntasks=1 --cpus-per-task=4"));
  CHECK(check_allocation({"17", {2, 2}, {2, 2}, {}}, over_mpi(), {on_ranks(4, 1)}).warnings.empty());
}

TEST_CASE("each case is compared with what its own transport can use") {
  Experiment experiment;
  experiment.variants.resize(2);
  experiment.variants[0].devices.transport = "mpi";
  experiment.variants[1].devices.transport = "threads";
  Case of_processes = on_ranks(4, 2), of_threads = on_ranks(2, 4);
  of_threads.id = "002-ddp-r2";
  of_threads.variant = 1;
  const AllocationCheck found = check_allocation({"17", {4, 4}, {1, 1}, {}}, experiment, {of_processes, of_threads});
  REQUIRE(found.warnings.size() == 2);
  CHECK(test::contains(found.warnings[0], "001-ddp-r4 has 4 ranks, but job 17 has only 2 tasks"));
  CHECK(test::contains(found.warnings[1], "002-ddp-r2 has 2 ranks × 4 threads, but job 17 has 4 cores on 1 node"));
}

TEST_CASE("fewer tasks than ranks are a warning") {
  const GivenAllocation given{"17", {4}, {1}, {}};
  const AllocationCheck found = check_allocation(given, over_mpi(), {on_ranks(4, 1)});
  REQUIRE(found.warnings.size() == 1);
  CHECK(test::contains(found.warnings[0], "001-ddp-r4 has 4 ranks, but job 17 has only 1 task"));
  CHECK(test::contains(found.warnings[0], "ask for --ntasks=4"));
}

TEST_CASE("ranks without a GPU are an error with the remedy") {
  Experiment experiment = over_mpi();
  experiment.devices.derived.is_accelerator = true;
  const GivenAllocation given{"17", {8, 8}, {2, 2}, 2};
  CHECK(check_allocation(given, experiment, {on_ranks(4, 1)}).error.empty());
  CHECK(
      check_allocation(given, experiment, {on_ranks(4, 1), on_ranks(8, 1)}).error ==
      "001-ddp-r8 needs 8 GPUs, but job 17 has 4 GPUs on 2 nodes; ask for more, as with --nodes=2 --ntasks-per-node=4 "
      "--gres=gpu:4, or run fewer ranks: --set /devices/ranks=4");
  CHECK(test::contains(check_allocation({"17", {8}, {2}, {}}, experiment, {on_ranks(2, 1)}).error,
                       "has 0 GPUs on 1 node"));
}

TEST_CASE("cases that do not run ask for nothing") {
  Case unsupported = on_ranks(64, 1);
  unsupported.unsupported = "too few layers";
  CHECK(check_allocation({"17", {2}, {2}, {}}, over_mpi(), {unsupported}).warnings.empty());
}

TEST_CASE("the cores of a job are those of its first node and those of the others") {
  const GivenAllocation given{"17", {4, 2, 2}, {}, {}};
  CHECK(usable_cores(given, 64).own == 4);
  CHECK(usable_cores(given, 64).others == 4);
  CHECK(usable_cores(given, 3).own == 3);
}

TEST_CASE("without scontrol, as in a container, the names of nodes are unknown") {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable path("PATH", folder.path()), list("SLURM_JOB_NODELIST", "n[0-1]");
  const GivenAllocation given{"17", {2, 2}, {1, 1}, {}};
  CHECK(node_names(given).empty());
  test::write_program(folder / "scontrol", "echo n0; echo n1");
  CHECK(node_names(given) == std::vector<std::string>{"n0", "n1"});
}
