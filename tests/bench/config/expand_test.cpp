#include "bench/config/expand.h"

#include <set>

#include "bench/config/contract.h"
#include "bench/config/variants.h"
#include "catch.h"
#include "config_fixture.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

std::vector<Case> cases_of(const std::vector<std::string>& overrides, int cores, const CaseCheck& check_case = {}) {
  return expand(parse(valid_config, overrides), fake_registries(), cores, check_case);
}

std::vector<std::string> ids(const std::vector<Case>& cases) {
  std::vector<std::string> all;
  for (const auto& which : cases) all.push_back(which.id);
  return all;
}

}  // namespace

TEST_CASE("strategies multiply by ranks, except meshes, which have their own, and single") {
  const auto cases = cases_of({}, 4);
  CHECK(ids(cases) == std::vector<std::string>{"001-single-r1", "002-ddp-r1", "003-ddp-r2", "004-ddp-r4",
                                               "005-gpipe-r1", "006-gpipe-r2", "007-gpipe-r4", "008-hybrid-r4"});
  CHECK(cases[0].family == "single");
  CHECK(cases[0].threads_per_rank == 4);
  CHECK(cases[2].threads_per_rank == 2);
  CHECK(cases[3].threads_per_rank == 1);
  CHECK(cases[7].family == "hybrid");
  for (const auto& which : cases) CHECK(!which.oversubscribed);
}

TEST_CASE("several ranks may use the cores of other machines, the baseline those of its own") {
  Experiment experiment = parse(valid_config);
  experiment.variants[0].devices.transport = "mpi";
  experiment.devices.derived.other_cores = 4;
  const auto cases = expand(experiment, fake_registries(), 4);
  CHECK(cases[0].threads_per_rank == 4);
  CHECK(cases[1].id == "002-ddp-r1");
  CHECK(cases[1].threads_per_rank == 4);
  CHECK(cases[2].threads_per_rank == 4);
  CHECK(cases[3].threads_per_rank == 2);
  Experiment with_two_threads = parse(valid_config, {"/devices/threads_per_rank=2"});
  with_two_threads.variants[0].devices.transport = "mpi";
  with_two_threads.devices.derived.other_cores = 4;
  for (const Case& which : expand(with_two_threads, fake_registries(), 4)) CHECK_FALSE(which.oversubscribed);
  with_two_threads.devices.derived.other_cores = 3;
  const auto crowded = expand(with_two_threads, fake_registries(), 4);
  CHECK(crowded.back().ranks == 4);
  CHECK(crowded.back().oversubscribed);
}

TEST_CASE("only the cases whose ranks are processes use the cores of other machines") {
  const auto on_four_ranks = [](const std::string& threads) {
    Experiment experiment = parse(valid_config, {R"(/training/precision=["fp32", "bf16"])", "/devices/ranks=4",
                                                 R"(/strategies=["ddp"])", "/devices/threads_per_rank=" + threads});
    experiment.variants.at(0).devices.transport = "mpi";
    experiment.devices.derived.other_cores = 4;
    return expand(experiment, fake_registries(), 4);
  };
  const auto cases = on_four_ranks("0");
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].threads_per_rank == 2);
  CHECK(cases[1].threads_per_rank == 1);
  const auto with_two_threads = on_four_ranks("2");
  CHECK_FALSE(with_two_threads[0].oversubscribed);
  CHECK(with_two_threads[1].oversubscribed);
}

TEST_CASE("every sweep multiplies, and ids stay unique") {
  const auto cases = cases_of({"/workload/global_batch=[32, 64]", "/training/seed=[1, 2, 3]"}, 4);
  CHECK(cases.size() == 8 * 2 * 3);
  std::set<std::string> distinct;
  for (const auto& which : cases) distinct.insert(which.id);
  CHECK(distinct.size() == cases.size());
  CHECK(cases[0].id == "001-single-r1-b32-s1");
  CHECK(cases.back().id == "048-hybrid-r4-b64-s3");
  CHECK(cases[0].global_batch == 32);
  CHECK(cases[0].seed == 1);
  CHECK(cases[1].seed == 2);
  CHECK(cases[3].global_batch == 64);
}

TEST_CASE("ids hold the global batch and the seed only where these vary in the run") {
  CHECK(cases_of({"/workload/global_batch=[32, 64]"}, 4)[1].id == "002-single-r1-b64");
  CHECK(cases_of({"/training/seed=[5, 6]"}, 4)[1].id == "002-single-r1-s6");
  CHECK(cases_of({"/workload/global_batch=[32]", "/training/seed=[5]"}, 4)[0].id == "001-single-r1");
  const auto workloads = cases_of({R"(/workload=[{"model": "lenet", "dataset": "idx", "global_batch": 64},
                                             {"model": "mlp", "dataset": "idx", "global_batch": 16}])"},
                                  4);
  CHECK(workloads[0].id == "001-lenet-single-r1-b64");
  CHECK(workloads[8].id == "009-mlp-single-r1-b16");
}

TEST_CASE("several models and several workloads give their own cases, model by model") {
  const auto models = cases_of({R"(/workload/model=["lenet", {"kind": "mlp", "hidden": 32}])"}, 4);
  REQUIRE(models.size() == 2 * 8);
  CHECK(models[0].id == "001-lenet-single-r1");
  CHECK(models[8].id == "009-mlp-single-r1");
  CHECK(models[8].variant == 1);
  CHECK(models[0].contract_id != models[8].contract_id);
  // Each has the contract that it would have alone.
  CHECK(models[0].contract_id == cases_of({}, 4)[0].contract_id);
  CHECK(models[8].contract_id == cases_of({R"(/workload/model={"kind": "mlp", "hidden": 32})"}, 4)[0].contract_id);

  const Experiment some = parse(valid_config, {R"(/workload=[
      {"model": "lenet", "dataset": "idx", "global_batch": 64},
      {"model": ["mlp", {"kind": "mlp", "hidden": 8}], "dataset": "idx", "global_batch": [32, 16], "learning_rate": 0.5}])"});
  REQUIRE(some.variants.size() == 3);
  CHECK(some.variants[2].pointer_of("/workload/model") == "/workload/1/model/1");
  const Experiment last = of_variant(some, 2);
  CHECK(last.workload.derived.label == "mlp hidden=8");
  CHECK(last.training.learning_rate() == 0.5);
  CHECK(last.workload.global_batch == std::vector<std::int64_t>{32, 16});
  CHECK(of_variant(some, 0).training.learning_rate() == 0.05);
  CHECK(of_variant(some, 0).workload.derived.label == "lenet");
  CHECK(expand(some, fake_registries(), 4).size() == (1 + 2 * 2) * 8);

  const std::string of_its_own = last.resolved;
  const Experiment alone = parse(of_its_own);
  CHECK(contract_id(alone, 32, 7) == contract_id(last, 32, 7));
  CHECK(parse(some.resolved).resolved == some.resolved);
}

TEST_CASE("a problem of one of several workloads is reported at its position") {
  CHECK(errors_of(valid_config, {R"(/workload/model=["lenet", "lennet"])"}) ==
        "--set '/workload/model=[\"lenet\", \"lennet\"]': /workload/model/1: unknown model \"lennet\" (did you mean "
        "\"lenet\"?)");
  CHECK(errors_of(valid_config, {R"(/workload/model=["lenet", {"kind": "lenet"}])"}) ==
        "--set '/workload/model=[\"lenet\", {\"kind\": \"lenet\"}]': /workload/model/1: the same workload as "
        "/workload/model/0");
}

TEST_CASE("threads per rank are cores over ranks or as configured, and single always runs on all cores, too") {
  const auto few = cases_of({}, 2);
  CHECK(few[3].ranks == 4);
  CHECK(few[3].threads_per_rank == 1);
  CHECK(few[3].oversubscribed);
  CHECK(!few[2].oversubscribed);

  const auto asked = cases_of({"/devices/threads_per_rank=1"}, 4);
  CHECK(asked[0].id == "001-single-r1");
  CHECK(asked[0].threads_per_rank == 4);
  CHECK(asked[1].id == "002-single-r1");
  CHECK(asked[1].threads_per_rank == 1);
  CHECK(asked[2].threads_per_rank == 1);
  CHECK(cases_of({"/devices/threads_per_rank=2"}, 2)[3].oversubscribed);
}

TEST_CASE("ids do not depend on the cores") {
  const auto named = [](const std::string& threads, int cores) {
    return ids(cases_of(
        {"/devices/threads_per_rank=" + threads, "/devices/ranks=2", R"(/strategies=["single", "ddp"])"}, cores));
  };
  using Ids = std::vector<std::string>;
  CHECK(named("4", 2) == Ids{"001-single-r1", "002-single-r1", "003-ddp-r2"});
  CHECK(named("4", 4) == Ids{"001-single-r1", "003-ddp-r2"});
  const std::string one = "-threads_per_rank1", four = "-threads_per_rank4";
  CHECK(named("[1, 4]", 2) == Ids{"001-single-r1" + one, "002-single-r1" + one, "003-ddp-r2" + one,
                                  "004-single-r1" + four, "005-ddp-r2" + four});
  CHECK(named("[1, 4]", 4) ==
        Ids{"001-single-r1" + one, "002-single-r1" + one, "003-ddp-r2" + one, "005-ddp-r2" + four});
}

TEST_CASE("a strategy's own ranks replace those of the devices") {
  const auto cases = cases_of({"/strategies/1/ranks=3"}, 6);
  CHECK(cases[1].id == "002-ddp-r3");
  CHECK(cases[1].threads_per_rank == 2);
  CHECK(cases[2].id == "003-gpipe-r1");
}

TEST_CASE("contracts are equal exactly if rows may be ranked against each other") {
  const auto contract = [](const std::vector<std::string>& overrides) { return cases_of(overrides, 4)[0].contract_id; };
  const auto scaling = [](const std::vector<std::string>& overrides) { return cases_of(overrides, 4)[0].scaling_id; };
  const auto all = cases_of({}, 4);
  for (const auto& which : all) {
    CHECK(which.contract_id == all[0].contract_id);
    CHECK(which.scaling_id == all[0].scaling_id);
  }
  const std::string base = contract({});
  CHECK(base.size() == 16);
  for (const char* change :
       {"/workload/model=mlp", "/workload/dataset/limit=100", "/workload/dataset=synthetic", "/training/seed=8",
        "/training/epochs=3", "/training/optimizer/momentum=0.5", "/training/optimizer/learning_rate=0.051",
        "/workload/loader/corrupt=skip", "/devices/throttle/latency_seconds=0.001"}) {
    INFO(change);
    CHECK(contract({change}) != base);
    CHECK(scaling({change}) != scaling({}));
  }
  CHECK(contract({"/workload/global_batch=65"}) != base);
  CHECK(scaling({"/workload/global_batch=65"}) == scaling({}));
  for (const char* change :
       {"/name=other", "/devices/ranks=[1]", "/measure/steps=3", "/strategies/-=tensor",
        "/training/optimizer/weight_decay=0", "/workload/global_batch=[64]", "/devices/throttle/latency_seconds=0",
        "/devices/collectives=ring", "/training/checkpoint/save=out", "/training/checkpoint/load=in.safetensors",
        "/workload/loader/workers=4", "/workload/loader/prefetch=1", "/training/target/accuracy=0.9"}) {
    INFO(change);
    CHECK(contract({change}) == base);
  }
  const std::string accuracy = "/training/target/accuracy=0.9", stop = "/training/stop_at_target=true";
  CHECK(contract({accuracy, stop}) != base);
  CHECK(contract({accuracy, stop}) != contract({"/training/target/accuracy=0.8", stop}));
}

TEST_CASE("the contract depends on the contents of the initial weights, not on their path") {
  Experiment drawn = parse(valid_config), here = drawn;
  here.derived.start_digest = "0123";
  Experiment there = parse(valid_config, {"/training/checkpoint/load=there.safetensors"});
  there.derived.start_digest = "0123";
  Experiment other = there;
  other.derived.start_digest = "0124";
  CHECK(contract_id(here, 64, 7) == contract_id(there, 64, 7));
  CHECK(contract_id(here, 64, 7) != contract_id(drawn, 64, 7));
  CHECK(contract_id(here, 64, 7) != contract_id(other, 64, 7));
  CHECK(scaling_id(here, 7) != scaling_id(drawn, 7));
}

TEST_CASE("a case that cannot run says why, and a strategy without any that can is an error") {
  const auto check_case = [](const Experiment&, Case& which) {
    const bool refused = which.strategy.choice.kind == "gpipe" && which.ranks > 1;
    if (refused) which.unsupported = "5 layers make no " + std::to_string(which.ranks) + " stages";
  };
  const Experiment some = parse(valid_config);
  const auto cases = expand(some, fake_registries(), 4, check_case);
  CHECK(cases[4].unsupported.empty());
  CHECK(cases[5].unsupported == "5 layers make no 2 stages");
  CHECK_NOTHROW(require_runnable(some, cases));

  const Experiment none = parse(valid_config, {"/devices/ranks=[2, 4]"});
  try {
    require_runnable(none, expand(none, fake_registries(), 4, check_case));
    FAIL("no error");
  } catch (const ConfigError& error) {
    CHECK(std::string(error.what()) ==
          "small.json:29:5: /strategies/2: gpipe microbatches=8 balance=memory cannot run at any requested number of "
          "ranks: at 2 ranks: 5 "
          "layers "
          "make no 2 "
          "stages; at 4 ranks: 5 layers make no 4 stages");
  }
  const Experiment expected = parse(valid_config, {"/devices/ranks=[2, 4]", "/strategies/2/expect=unsupported"});
  CHECK_NOTHROW(require_runnable(expected, expand(expected, fake_registries(), 4, check_case)));
}
