#include "bench/command/expected_time.h"

#include <fstream>

#include "bench/case/cost_cache.h"
#include "bench/command/cases.h"
#include "bench/config/variants.h"
#include "bench/records/cache_file.h"
#include "catch.h"
#include "environment_variable.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

constexpr const char* one_case = R"({
  "name": "x",
  "workload": {"model": {"kind": "mlp", "hidden": [8]}, "global_batch": 16,
               "dataset": {"kind": "synthetic", "shape": "1x8x8", "classes": 4, "train_samples": 64}},
  "training": {"epochs": 1, "optimizer": {"kind": "sgd", "learning_rate": 0.1}},
  "devices": {"kind": "cpu", "ranks": 1},
  "strategies": ["ddp"]
})";

/// Caches a profile in which each op of the cases takes a second.
void store_times(const ChosenCases& chosen, int cores) {
  CaseCompiler compiler(chosen.experiment);
  for (const Case& which : chosen.cases) {
    program::CostTable times;
    const program::Plan plan = compiler.compile(which);
    for (const auto* section : program::sections(plan.roles.front().train)) {
      for (const program::Instruction& instruction : *section) {
        if (const auto* compute = std::get_if<program::Compute>(&instruction.action))
          times.insert(program::cost_key(*compute), {1.0, 0});
      }
    }
    REQUIRE(store_profile(cache_folder(), profile_context(of_case(chosen.experiment, which), which, cores), times));
  }
}

}  // namespace

TEST_CASE("a time limit needs the FLOPs of the cases, only a dry run their profiles") {
  constexpr int cores = 2;
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable cache("XDG_CACHE_HOME", folder.path());
  std::ofstream(folder / "x.json") << one_case;
  Arguments arguments;
  arguments.config = folder / "x.json";
  CHECK(choose_cases(arguments, cores).work.empty());

  Arguments dry = arguments;
  dry.dry_run = true;
  const ChosenCases unprofiled = choose_cases(dry, cores);
  REQUIRE(unprofiled.work.size() == 1);
  CHECK_FALSE(unprofiled.work[0].profiled_step_seconds.has_value());
  store_times(unprofiled, cores);
  const ChosenCases profiled = choose_cases(dry, cores);
  CHECK(profiled.work[0].profiled_step_seconds.value_or(0) >= 2);

  arguments.time_limit = 60;
  const std::vector<CaseWork> limited = choose_cases(arguments, cores).work;
  REQUIRE(limited.size() == 1);
  CHECK(limited[0].steps == profiled.work[0].steps);
  CHECK(limited[0].flops_per_step > 0);
  CHECK_FALSE(limited[0].profiled_step_seconds.has_value());
}
