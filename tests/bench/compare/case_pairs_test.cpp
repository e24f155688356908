#include "bench/compare/case_pairs.h"

#include "catch.h"
#include "run_fixtures.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

CaseRecord with_contract(const std::string& strategy, const std::string& contract, std::int64_t batch) {
  CaseRecord record = test::finished_case(strategy, 2, 1, 0.1);
  record.contract_id = contract;
  record.global_batch = batch;
  return record;
}

}  // namespace

TEST_CASE("cases of the same work are pairs, whatever their ids and order") {
  const CaseRecord ddp = test::finished_case("ddp", 2, 1, 0.1), zero = test::finished_case("zero stage=3", 2, 1, 0.1);
  CaseRecord renamed = ddp;
  renamed.case_id = "017-ddp-r2";
  const RunResults before = test::run_of({ddp, zero}), after = test::run_of({zero, renamed});
  const std::vector<CasePair> pairs = pair_cases(before, after);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].old_case == &before.rows[1].record);
  CHECK(pairs[0].new_case == &after.rows[0].record);
  CHECK(pairs[1].old_case == &before.rows[0].record);
  CHECK(pairs[1].new_case == &after.rows[1].record);
  CHECK((pairs[0].why.empty() && pairs[1].why.empty()));
}

TEST_CASE("cases of the same work in one run are paired in their order") {
  CaseRecord first = test::finished_case("ddp", 2, 1, 0.1), second = first;
  second.case_id = "second";
  const RunResults before = test::run_of({first, second}), after = test::run_of({first, second});
  const std::vector<CasePair> pairs = pair_cases(before, after);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[1].old_case == &before.rows[1].record);
}

TEST_CASE("a case that only one run has is alone") {
  const RunResults before = test::run_of({test::finished_case("ddp", 2, 1, 0.1)});
  const RunResults after = test::run_of({test::finished_case("ddp", 4, 1, 0.1)});
  const std::vector<CasePair> pairs = pair_cases(before, after);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].old_case == nullptr);
  CHECK(pairs[0].why == "only in NEW");
  CHECK(pairs[1].new_case == nullptr);
  CHECK(pairs[1].why == "only in OLD");
}

TEST_CASE("the reason names what makes the nearest case other work") {
  CaseRecord ddp = test::finished_case("ddp", 2, 1, 0.1);
  ddp.transport = "threads";
  CaseRecord over_mpi = ddp;
  over_mpi.transport = "mpi";
  over_mpi.threads_per_rank = 2;
  const RunResults before = test::run_of({ddp}), after = test::run_of({over_mpi});
  const std::vector<CasePair> pairs = pair_cases(before, after);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].why == "threads per rank (1 → 2); transport (threads → mpi)");
}

TEST_CASE("the reason names the settings in which contracts differ") {
  RunResults before = test::run_of({with_contract("ddp", "a", 64), with_contract("ddp", "b", 128)});
  RunResults after = test::run_of({with_contract("ddp", "c", 128)});
  before.config = nlohmann::json::parse(
      R"({"workload": {"model": {"kind": "mlp"}, "loader": {"workers": 1}},
          "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.1}, "target": {"loss": 1}}})");
  after.config = nlohmann::json::parse(
      R"({"workload": {"model": {"kind": "mlp"}, "loader": {"workers": 2}},
          "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.2}, "target": {"loss": 2}}})");
  const std::vector<CasePair> pairs = pair_cases(before, after);
  REQUIRE(pairs.size() == 2);
  // Loader and target do not belong to a contract.
  CHECK(pairs[0].why ==
        "other contract: training/optimizer/learning_rate (0.1 → 0.2), "
        "workload/global_batch (64 → 128)");
  CHECK(pairs[1].why == "only in OLD");

  before.config = after.config = nullptr;
  CHECK(pair_cases(before, after)[0].why == "other contract: workload/global_batch (64 → 128)");
}

TEST_CASE("contracts without a different setting differ in what settings refer to") {
  const RunResults before = test::run_of({with_contract("ddp", "a", 64)});
  const RunResults after = test::run_of({with_contract("ddp", "b", 64)});
  CHECK(pair_cases(before, after)[0].why ==
        "other contract: files that its settings name, or defaults of another version");
}

TEST_CASE("a pair is not comparable if one of its cases is not ranked") {
  const CaseRecord fine = test::finished_case("ddp", 2, 1, 0.1);
  const CaseRecord crashed = test::ended_case("ddp", 2, Status::crashed, "signal 11");
  CaseRecord oversubscribed = fine;
  oversubscribed.oversubscribed = true;
  CHECK(why_incomparable(fine, fine).empty());
  CHECK(why_incomparable(fine, crashed) == "in NEW: crashed: signal 11");
  CHECK(why_incomparable(crashed, fine) == "in OLD: crashed: signal 11");
  CHECK(why_incomparable(crashed, crashed) == "crashed: signal 11");
  CHECK(why_incomparable(oversubscribed, crashed) ==
        "in OLD: oversubscribed: more busy threads than cores; in NEW: crashed: signal 11");
}
