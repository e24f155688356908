#include "../record_fixtures.h"
#include "bench/report/decision.h"
#include "bench/report/table.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::ended_case;
using ddlbench::test::finished_case;

namespace {

std::vector<Ranking> ranked(const std::vector<CaseRecord>& cases) {
  Records records;
  records.cases = cases;
  return rank_cases(records);
}

std::string decision_on(const std::vector<CaseRecord>& records) {
  return decide(ranked(records));
}

}  // namespace

TEST_CASE("the table ranks within a contract and says why the other cases are not ranked") {
  std::vector<CaseRecord> records{finished_case("single", 1, 2.0, 0.01),
                                  finished_case("ddp", 2, 1.25, 0.05),
                                  finished_case("tensor", 2, 1.28, 0.04),
                                  finished_case("ddp", 4, 1.0, 0.01),
                                  finished_case("gpipe m=4", 2, 0.5, 0.01),
                                  finished_case("hogwild", 2, 0.4, 0.01),
                                  finished_case("gpt", 2, 0.3, 0.01),
                                  ended_case("zero", 2, Status::timed_out, "no sign of progress for 60 s"),
                                  ended_case("hybrid", 3, Status::unsupported, "4 ranks are needed")};
  records[3].oversubscribed = true;
  records[4].measurement->certified = false;
  records[4].measurement->certificate_reason = "update deviates by 0.5";
  records[5].measurement->promise = "stale";
  records[6].measurement->certified = false;
  records[6].measurement->certificate_update.reset();
  records[6].measurement->certificate_reason = "it fits no single rank";
  CHECK(format_table(ranked(records)) ==
        "mlp on idx, global batch 64, fp32, sgd, seed 1 (contract c0ffee)\n"
        "  #  case       strategy  ranks×threads    step, ms [95 %]     speedup [95 %]  MiB per rank, max  accuracy  "
        "certificate\n"
        "  1  ddp-r2     ddp                 2×1  1.25 [1.20, 1.30]  1.60 [1.53, 1.67]               3.00    0.8750  "
        "holds 3.1e-07\n"
        "  1  tensor-r2  tensor              2×1  1.28 [1.24, 1.32]  1.56 [1.51, 1.62]               3.00    0.8750  "
        "holds 3.1e-07\n"
        "  3  single-r1  single              1×1  2.00 [1.99, 2.01]               1.00               3.00    0.8750  "
        "holds 3.1e-07\n"
        "not ranked:\n"
        "  ddp-r4        ddp        4×1  1.00 [0.99, 1.01] ms  holds 3.1e-07  oversubscribed: more busy threads than "
        "cores\n"
        "  gpipe m=4-r2  gpipe m=4  2×1     500 [490, 510] us  fails          certificate failed: update deviates by "
        "0.5\n"
        "  hogwild-r2    hogwild    2×1     400 [390, 410] us  holds 3.1e-07  stale: its training is not that of one "
        "rank\n"
        "  gpt-r2        gpt        2×1     300 [290, 310] us                 no certificate: it fits no single rank\n"
        "  zero-r2       zero       2×1                                       timed_out: no sign of progress for 60 s\n"
        "  hybrid-r3     hybrid     3×1                                       unsupported: 4 ranks are needed\n");
}

TEST_CASE("ranks that share a GPU are not ranked and do not win") {
  std::vector<CaseRecord> records{finished_case("single", 1, 2.0, 0.01), finished_case("ddp", 4, 1.0, 0.01)};
  records[0].measurement->devices = records[1].measurement->devices = 1;
  records[1].measurement->devices_shared = true;
  const auto rankings = ranked(records);
  REQUIRE(rankings.at(0).unranked.size() == 1);
  CHECK(rankings[0].unranked[0].why == "shared: more ranks than GPUs");
  CHECK(decide(rankings).find("Best: single") == 0);
}

TEST_CASE("decision: a clear winner") {
  CHECK(decision_on({finished_case("single", 1, 2, 0.02), finished_case("ddp", 2, 1, 0.01),
                     finished_case("tensor", 2, 1.5, 0.03)}) ==
        "Best: ddp on 2 ranks × 1 thread, 1.00 [0.99, 1.01] ms per step, 1.50 times (1.46 to 1.55) as fast as the "
        "runner-up, "
        "tensor on 2 ranks × 1 thread. The first is 2.00 times (1.96 to 2.04) as fast as the best one-rank case, "
        "single on 1 rank × 1 thread.\n");
  CHECK(decision_on({finished_case("single", 1, 2, 0), finished_case("ddp", 2, 1, 0)}) ==
        "Best: ddp on 2 ranks × 1 thread, 1.00 [1.00, 1.00] ms per step, 2.00 times (2.00 to 2.00) as fast as the "
        "runner-up, "
        "single on 1 rank × 1 thread.\n");
  CHECK(decision_on({finished_case("single", 1, 1, 0), finished_case("ddp", 2, 2, 0)}) ==
        "Best: single on 1 rank × 1 thread, 1.00 [1.00, 1.00] ms per step, 2.00 times (2.00 to 2.00) as fast as the "
        "runner-up, ddp on 2 ranks × 1 thread. The measurement shows no case on several ranks to be faster than one "
        "rank.\n");
}

TEST_CASE("decision: overlapping intervals are a tie") {
  CHECK(decision_on({finished_case("single", 1, 2, 0), finished_case("ddp", 2, 1.0, 0.1),
                     finished_case("tensor", 2, 1.1, 0.1)}) ==
        "Tie for the best: ddp on 2 ranks × 1 thread (1.00 [0.90, 1.10] ms per step) and tensor on 2 ranks × 1 thread "
        "(1.10 [1.00, 1.20] ms per step). Their intervals overlap, so the measurement shows neither to be faster. The "
        "runner-up is single "
        "on 1 rank × 1 thread: the first is 2.00 times (1.82 to 2.22) as fast as it.\n");
  CHECK(decision_on({finished_case("ddp", 2, 1.0, 0.1), finished_case("tensor", 2, 1.1, 0.1),
                     finished_case("gpipe", 2, 1.05, 0.1)}) ==
        "Tie for the best: ddp on 2 ranks × 1 thread (1.00 [0.90, 1.10] ms per step), gpipe on 2 ranks × 1 thread "
        "(1.05 [0.95, 1.15] ms per step) and tensor on 2 ranks × 1 thread (1.10 [1.00, 1.20] ms per step). The others' "
        "intervals overlap the first one's, so the measurement shows none of them to be faster. There is no ranked "
        "one-rank case to compare with.\n");
}

TEST_CASE("decision: the case that reached the target first") {
  std::vector<CaseRecord> records{finished_case("single", 1, 2, 0), finished_case("ddp", 2, 1, 0),
                                  finished_case("hogwild", 2, 0.4, 0.01), finished_case("tensor", 2, 1, 0)};
  for (CaseRecord& record : records) record.target = "loss 0.5";
  const auto says = [&](const std::string& text) { return decision_on(records).find(text) != std::string::npos; };
  CHECK(says(" The target (loss 0.5) was never reached."));
  const auto reached = [](CaseRecord& record, double seconds, int epochs) {
    record.seconds_to_target = seconds;
    record.epochs_to_target = epochs;
  };
  reached(records[0], 4, 2);
  reached(records[2], 2.5, 1);
  reached(records[3], 1, 1);
  records[2].measurement->promise = "stale";
  records[3].oversubscribed = true;
  CHECK(
      says(" The target (loss 0.5) was reached by 2 of 4 cases, first by hogwild on 2 ranks × 1 thread: 2.50 s of "
           "training, 1 epoch."));
  records[2].steps_to_target = 7;
  records[2].measurement->steps_per_epoch = 10;
  CHECK(says(": 2.50 s of training, 7 steps, in epoch 1."));
  records[2].steps_to_target = 10;
  CHECK(says(": 2.50 s of training, 1 epoch."));
}

TEST_CASE("decision: contracts are not mixed") {
  std::vector<CaseRecord> records{finished_case("single", 1, 2, 0), finished_case("ddp", 2, 1, 0)};
  records[1].contract_id = "decaf";
  records[1].global_batch = 128;
  CHECK(decision_on(records) ==
        "2 contracts: they train differently, so their cases are not compared with each other.\n"
        "Contract c0ffee (mlp on idx, global batch 64, fp32, sgd, seed 1): Best: single on 1 rank × 1 thread, "
        "2.00 [2.00, 2.00] ms per step; no other case is ranked.\n"
        "Contract decaf (mlp on idx, global batch 128, fp32, sgd, seed 1): Best: ddp on 2 ranks × 1 thread, "
        "1.00 [1.00, 1.00] ms per step; no other case is ranked. There is no ranked one-rank case to compare with.\n");
}

TEST_CASE("decision: nothing to recommend") {
  CHECK(decision_on({ended_case("single", 1, Status::bad_data, "no file"),
                     ended_case("ddp", 2, Status::failed, "killed by signal 9 (SIGKILL) in phase train")}) ==
        "No recommendation: no case finished out of 2 cases. Not ranked: single on 1 rank × 1 thread (bad_data) and "
        "ddp on "
        "2 ranks × 1 thread (failed).\n");
  CaseRecord oversubscribed = finished_case("ddp", 4, 1, 0);
  oversubscribed.oversubscribed = true;
  CHECK(decision_on({oversubscribed}) ==
        "No recommendation: no case can be ranked. Not ranked: ddp on 4 ranks × 1 thread (oversubscribed).\n");
  CHECK(decision_on({}) == "No recommendation: there were no cases.\n");
}

TEST_CASE("decision: an oversubscribed case does not win") {
  std::vector<CaseRecord> records{finished_case("single", 1, 2, 0), finished_case("ddp", 4, 1, 0)};
  records[1].oversubscribed = true;
  const std::string text = decision_on(records);
  CHECK(text.find("Best: single on 1 rank") == 0);
  CHECK(text.find("Not ranked: ddp on 4 ranks × 1 thread (oversubscribed") != std::string::npos);
}

TEST_CASE("predicted step times are listed next to measured ones") {
  std::vector<CaseRecord> records{finished_case("single", 1, 2.0, 0.01), finished_case("ddp", 2, 1.25, 0.05)};
  records[1].measurement->prediction.emplace().step_seconds = 1.1e-3;
  CHECK(format_table(ranked(records)) ==
        "mlp on idx, global batch 64, fp32, sgd, seed 1 (contract c0ffee)\n"
        "  #  case       strategy  ranks×threads    step, ms [95 %]  predicted, ms     speedup [95 %]  MiB per rank, "
        "max  accuracy  certificate\n"
        "  1  ddp-r2     ddp                 2×1  1.25 [1.20, 1.30]           1.10  1.60 [1.53, 1.67]               "
        "3.00    0.8750  holds 3.1e-07\n"
        "  2  single-r1  single              1×1  2.00 [1.99, 2.01]                              1.00               "
        "3.00    0.8750  holds 3.1e-07\n");
}

TEST_CASE("decision: a reason is given once for all cases that it applies to") {
  std::vector<CaseRecord> records{finished_case("single", 1, 2, 0), finished_case("ddp", 4, 1, 0),
                                  finished_case("tensor", 4, 1, 0), ended_case("gpipe", 2, Status::failed, "why not")};
  records[1].oversubscribed = records[2].oversubscribed = true;
  CHECK(decision_on(records).find(
            "Not ranked: ddp on 4 ranks × 1 thread and tensor on 4 ranks × 1 thread (oversubscribed) and "
            "gpipe on 2 ranks × 1 thread (failed).") != std::string::npos);
}
