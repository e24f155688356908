#include "bench/config/sweep.h"

#include <algorithm>
#include <map>
#include <set>

#include "bench/config/contract.h"
#include "bench/config/expand.h"
#include "bench/config/run_order.h"
#include "bench/config/variants.h"
#include "catch.h"
#include "config_fixture.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

const std::string one_strategy = R"(/strategies=["ddp"])";
const std::string one_rank = "/devices/ranks=2";

std::vector<Case> cases_of(const std::vector<std::string>& overrides, int cores = 4) {
  return expand(parse(valid_config, overrides), fake_registries(), cores);
}

std::vector<std::string> ids_of(const std::vector<Case>& cases) {
  std::vector<std::string> ids;
  for (const Case& which : cases) ids.push_back(which.id);
  return ids;
}

std::vector<std::string> ids(std::vector<std::string> overrides) {
  overrides.insert(overrides.end(), {one_strategy, one_rank});
  return ids_of(cases_of(overrides));
}

std::string error_of(std::vector<std::string> overrides) {
  try {
    cases_of(overrides);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("each of these settings is an axis if it is a list, and ids name its values") {
  using Ids = std::vector<std::string>;
  CHECK(ids({R"(/training/precision=["fp32", "bf16"])"}) == Ids{"001-ddp-r2-fp32", "002-ddp-r2-bf16"});
  CHECK(ids({"/training/optimizer/learning_rate=[0.1, 0.05]"}) ==
        Ids{"001-ddp-r2-learning_rate0.1", "002-ddp-r2-learning_rate0.05"});
  CHECK(
      ids({R"(/training/optimizer=[{"kind": "sgd", "learning_rate": 0.1}, {"kind": "adam", "learning_rate": 0.2}])"}) ==
      Ids{"001-ddp-r2-sgd", "002-ddp-r2-adam"});
  CHECK(
      ids({R"(/training/optimizer=[{"kind": "sgd", "learning_rate": 0.1}, {"kind": "sgd", "learning_rate": 0.2}])"}) ==
      Ids{"001-ddp-r2-sgd_learning_rate0.1", "002-ddp-r2-sgd_learning_rate0.2"});
  CHECK(ids({R"(/workload/model={"kind": "mlp", "hidden": [8, 16]})"}) ==
        Ids{"001-hidden8-ddp-r2", "002-hidden16-ddp-r2"});
  CHECK(ids({"/workload/loader/workers=[0, 4]"}) == Ids{"001-ddp-r2-workers0", "002-ddp-r2-workers4"});
  CHECK(ids({"/devices/threads_per_rank=[1, 2]"}) ==
        Ids{"001-ddp-r2-threads_per_rank1", "002-ddp-r2-threads_per_rank2"});
  CHECK(ids({R"(/devices/collectives=["ring", "rabenseifner"])"}) == Ids{"001-ddp-r2-ring", "002-ddp-r2-rabenseifner"});
  CHECK(ids({"/devices/throttle/latency_seconds=[0, 0.5]"}) ==
        Ids{"001-ddp-r2-latency_seconds0", "002-ddp-r2-latency_seconds0.5"});
  CHECK(ids({R"(/training/precision=["bf16"])"}) == Ids{"001-ddp-r2"});  // one value does not vary
}

TEST_CASE("a list in an option of a strategy gives several strategies of the same entry") {
  const auto cases = cases_of({R"(/strategies=[{"kind": "gpipe", "microbatches": [2, 8], "balance": ["time", "memory"]},
                                               {"kind": "hybrid", "mesh": [{"data": 2}, {"pipeline": 4}]}])",
                               one_rank});
  CHECK(ids_of(cases) ==
        std::vector<std::string>{"001-gpipe-microbatches2-time-r2", "002-gpipe-microbatches2-memory-r2",
                                 "003-gpipe-microbatches8-time-r2", "004-gpipe-microbatches8-memory-r2",
                                 "005-hybrid-mesh_data2-r2", "006-hybrid-mesh_pipeline4-r4"});
  CHECK(cases[3].strategy.pointer == "/strategies/0");
  CHECK(cases[3].strategy.index == 3);
  CHECK(cases[3].strategy.label == "gpipe microbatches=8 balance=memory");
  CHECK(errors_of(valid_config, {R"(/strategies=[{"kind": "gpipe", "microbatches": [2, 8]},
                                                 {"kind": "gpipe", "microbatches": 8}])"})
            .find("/strategies/1: the same as /strategies/0: gpipe microbatches=8") != std::string::npos);
}

TEST_CASE("a list gives the contracts of its values, and only settings of the contract give several") {
  const auto contracts = [](const std::string& override) {
    std::set<std::string> all;
    for (const Case& which : cases_of({override, one_strategy})) all.insert(which.contract_id);
    return all;
  };
  for (const char* list : {R"(/training/precision=["fp32", "bf16"])", "/training/optimizer/learning_rate=[0.1, 0.05]",
                           "/devices/throttle/latency_seconds=[0, 0.5]", "/training/clip_norm=[0, 1]",
                           R"(/workload/model=["lenet", "mlp"])"}) {
    INFO(list);
    CHECK(contracts(list).size() == 2);
  }
  for (const char* list : {"/devices/threads_per_rank=[1, 2]", "/workload/loader/workers=[0, 4]",
                           R"(/devices/collectives=["ring", "rabenseifner"])", "/devices/winograd=[true, false]"}) {
    INFO(list);
    CHECK(contracts(list).size() == 1);
  }
  const auto both = contracts(R"(/training/precision=["fp32", "bf16"])");
  CHECK(both.contains(*contracts("/training/precision=fp32").begin()));
  CHECK(both.contains(*contracts("/training/precision=bf16").begin()));
}

TEST_CASE("each variant of an experiment has the settings that were chosen, and its text gives the same cases again") {
  const Experiment all =
      parse(valid_config, {R"(/training/precision=["fp32", "bf16"])", "/devices/threads_per_rank=[1, 2]",
                           R"(/strategies=["single", {"kind": "gpipe", "microbatches": [2, 4]}])"});
  REQUIRE(all.variants.size() == 4);
  const Experiment last = of_variant(all, 3);
  CHECK(last.training.precision == "bf16");
  CHECK(last.devices.threads_per_rank == 2);
  CHECK(last.variants.empty());
  CHECK(all.variants[3].pointer_of("/training/precision") == "/training/precision/1");
  const Experiment again = parse(last.resolved);
  CHECK(again.resolved == last.resolved);
  REQUIRE(again.strategies.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(again.strategies[i].choice == last.strategies[i].choice);
  CHECK(all.variants[0].compiled == all.variants[1].compiled);  // of which only the threads differ
  CHECK(all.variants[0].compiled != all.variants[2].compiled);
  CHECK(parse(all.resolved).resolved == all.resolved);
}

TEST_CASE("single, which uses all cores, runs once with each number of threads") {
  const auto cases = cases_of({"/devices/threads_per_rank=[1, 2]", R"(/strategies=["single"])"});
  REQUIRE(cases.size() == 3);
  CHECK(cases[0].threads_per_rank == 4);
  CHECK(cases[1].threads_per_rank == 1);
  CHECK(cases[2].threads_per_rank == 2);
}

TEST_CASE("weak scaling: the batch per rank replaces the global batch") {
  const auto cases =
      cases_of({R"(/workload={"model": "lenet", "dataset": "idx", "batch_per_rank": 16})", one_strategy});
  CHECK(ids_of(cases) == std::vector<std::string>{"001-ddp-r1", "002-ddp-r2", "003-ddp-r4"});
  CHECK(cases[2].global_batch == 64);
  CHECK(cases[0].scaling_id == cases[2].scaling_id);
  CHECK(cases[0].contract_id != cases[2].contract_id);
  const auto global = cases_of({R"(/workload={"model": "lenet", "dataset": "idx", "global_batch": 64})", one_strategy});
  CHECK(cases[2].contract_id == global[2].contract_id);
  CHECK(ids_of(cases_of({R"(/workload={"model": "lenet", "dataset": "idx", "batch_per_rank": [16, 8]})", one_strategy,
                         one_rank})) == std::vector<std::string>{"001-ddp-r2-b16_per_rank", "002-ddp-r2-b8_per_rank"});
  CHECK(errors_of(valid_config, {"/workload/batch_per_rank=16"}) ==
        "--set /workload/batch_per_rank=16: excludes global_batch: leave one of them out");
}

TEST_CASE("lists that are zipped advance together") {
  CHECK(ids({"/workload/global_batch=[32, 64, 128]", "/training/optimizer/learning_rate=[0.1, 0.2, 0.4]",
             R"(/sweep/zip=[["global_batch", "learning_rate"]])", R"(/training/precision=["fp32", "bf16"])"}) ==
        std::vector<std::string>{"001-ddp-r2-fp32-learning_rate0.1-b32", "002-ddp-r2-fp32-learning_rate0.2-b64",
                                 "003-ddp-r2-fp32-learning_rate0.4-b128", "004-ddp-r2-bf16-learning_rate0.1-b32",
                                 "005-ddp-r2-bf16-learning_rate0.2-b64", "006-ddp-r2-bf16-learning_rate0.4-b128"});
  const auto ranks = cases_of({"/workload/global_batch=[32, 64, 128]", R"(/sweep/zip=[["ranks", "global_batch"]])",
                               R"(/strategies=["single", "ddp"])"});
  CHECK(ids_of(ranks) == std::vector<std::string>{"001-single-r1-b32", "002-single-r1-b64", "003-single-r1-b128",
                                                  "004-ddp-r1-b32", "005-ddp-r2-b64", "006-ddp-r4-b128"});
  const auto options = cases_of({R"(/strategies=[{"kind": "gpipe", "microbatches": [2, 4]}, "ddp"])", one_rank,
                                 "/workload/global_batch=[16, 32]",
                                 R"(/sweep/zip=[["/strategy/microbatches", "/workload/global_batch"]])"});
  CHECK(ids_of(options) == std::vector<std::string>{"001-gpipe-microbatches2-r2-b16", "002-gpipe-microbatches4-r2-b32",
                                                    "003-ddp-r2-b16", "004-ddp-r2-b32"});
}

TEST_CASE("what cannot be zipped is reported at its position") {
  CHECK(
      errors_of(valid_config, {R"(/sweep/zip=[["global_bach", "ranks"]])"}) ==
      "--set '/sweep/zip=[[\"global_bach\", \"ranks\"]]': /sweep/zip/0/0: there is no setting \"global_bach\" that may "
      "be a list (did you mean \"global_batch\"?)");
  CHECK(errors_of(valid_config, {R"(/sweep/zip=[["global_batch", "ranks"]])"})
            .ends_with("/sweep/zip/0/0: \"global_batch\" is not a list in this experiment, so it cannot advance with "
                       "others"));
  CHECK(
      errors_of(valid_config, {"/training/seed=[1, 2]", R"(/sweep/zip=[["seed", "ranks"]])"})
          .ends_with("/sweep/zip/0: lists that advance together need the same length: /training/seed has 2 values, but "
                     "/devices/ranks has 3"));
  CHECK(errors_of(valid_config, {R"(/sweep/zip=[["ranks"]])"})
            .ends_with("/sweep/zip/0: expected a list of at least two names; found a list"));
}

TEST_CASE("rules exclude cases without renumbering the others") {
  const auto cases =
      cases_of({R"(/sweep/exclude=[{"strategy": ["ddp", "gpipe"], "ranks": 1}, {"strategy": "hybrid"}])"});
  CHECK(ids_of(cases) ==
        std::vector<std::string>{"001-single-r1", "003-ddp-r2", "004-ddp-r4", "006-gpipe-r2", "007-gpipe-r4"});
  CHECK(ids({R"(/training/precision=["fp32", "bf16"])", "/training/seed=[1, 2]",
             R"(/sweep/exclude=[{"precision": "bf16", "seed": 2}])"}) ==
        std::vector<std::string>{"001-ddp-r2-fp32-s1", "002-ddp-r2-fp32-s2", "003-ddp-r2-bf16-s1"});
  // Objects name some of the settings of a choice.
  CHECK(cases_of({R"(/sweep/exclude=[{"strategy": {"kind": "gpipe", "microbatches": 8}}])"}).size() == 5);
}

TEST_CASE("a rule without effect is an error") {
  CHECK(error_of({R"(/sweep/exclude=[{"strategy": "tensor"}])"}) ==
        "--set '/sweep/exclude=[{\"strategy\": \"tensor\"}]': /sweep/exclude/0: matches no case: correct a value, or "
        "remove "
        "the rule (--dry-run lists the cases)");
  CHECK(error_of({R"(/sweep/exclude=[{"precison": "bf16"}])"})
            .ends_with("there is no setting \"precison\" that may be a list (did you mean \"precision\"?)"));
  CHECK(error_of({R"(/sweep/exclude=[{"epochs": 2}])"}).find("there is no setting \"epochs\"") != std::string::npos);
  CHECK(error_of({R"(/sweep/exclude=[{"precision": "fp32"}])"}).ends_with(": leaves out every case: remove a rule"));
  CHECK(error_of({R"(/sweep/exclude=[{}])"})
            .ends_with("/sweep/exclude/0: expected an object with at least one name of a setting; found an object"));
  CHECK(error_of({R"(/sweep/expect/non_finte=[{"ranks": 2}])"}).find("did you mean \"non_finite\"?") !=
        std::string::npos);
}

TEST_CASE("rules say which status is expected of some cases") {
  const auto cases = cases_of({R"(/sweep/expect/non_finite=[{"strategy": "ddp", "ranks": [2, 4]}])"});
  std::map<std::string, std::string> expected;
  for (const Case& which : cases) expected[which.id] = which.strategy.expect;
  CHECK(expected.at("002-ddp-r1") == "ok");
  CHECK(expected.at("003-ddp-r2") == "non_finite");
  CHECK(expected.at("008-hybrid-r4") == "out_of_memory");  // its own
}

TEST_CASE("cases run seed by seed, contract by contract and from few ranks to many") {
  const auto cases = cases_of({"/training/seed=[1, 2]", "/workload/global_batch=[32, 64]",
                               R"(/strategies=["ddp", "single"])", "/devices/ranks=[1, 2]"});
  CHECK(ids_of(in_run_order(cases)) ==
        std::vector<std::string>{"001-ddp-r1-b32-s1", "009-single-r1-b32-s1", "005-ddp-r2-b32-s1", "003-ddp-r1-b64-s1",
                                 "011-single-r1-b64-s1", "007-ddp-r2-b64-s1", "002-ddp-r1-b32-s2",
                                 "010-single-r1-b32-s2", "006-ddp-r2-b32-s2", "004-ddp-r1-b64-s2",
                                 "012-single-r1-b64-s2", "008-ddp-r2-b64-s2"});
}

TEST_CASE("settings without a column of their own are told apart by a text") {
  const auto cases =
      cases_of({R"(/training/precision=["fp32", "bf16"])", "/training/optimizer/learning_rate=[0.1, 0.2]",
                "/workload/loader/workers=[0, 4]", one_strategy, one_rank});
  CHECK(cases[0].settings == "workers=0 learning_rate=0.1");
  CHECK(cases_of({R"(/training/precision=["fp32", "bf16"])"})[0].settings == "");
}
