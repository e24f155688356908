#include "../record_fixtures.h"
#include "../visit_fixtures.h"
#include "bench/report/decision.h"
#include "bench/report/table.h"
#include "bench/report/warnings.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::add_rounds;
using ddlbench::test::finished_case;

namespace {

/// Three cases in five rounds: `zero` is as fast as `ddp`, `single` slower.
Records three_cases() {
  Records records;
  records.cases = {finished_case("single", 1, 2, 0.1), finished_case("ddp", 2, 1, 0.1),
                   finished_case("zero", 2, 1, 0.1)};
  for (CaseRecord& record : records.cases) record.measurement->certificate_steps = 5;
  add_rounds(records.visits, "single-r1", {2.001, 1.999, 2.002, 1.998, 2});
  add_rounds(records.visits, "single-r1", {2.002, 1.998, 2.000, 2.000, 2}, true);
  add_rounds(records.visits, "ddp-r2", {1.001, 0.999, 1.002, 0.998, 1});
  add_rounds(records.visits, "zero-r2", {1.002, 1.000, 1.001, 0.999, 1.001});
  records.rounds = {{"c0ffee", 0.01, "precision"}};
  return records;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("cases that are not shown to differ share rank and letter") {
  CHECK(format_table(rank_cases(three_cases())) ==
        "mlp on idx, global batch 64, fp32, sgd, seed 1 (contract c0ffee)\n"
        "  #   case       strategy  ranks×threads       step, ms [95 %]     speedup [95 %]  MiB per rank, max  "
        "accuracy  certificate, 5 steps\n"
        "  1a  ddp-r2     ddp                 2×1  1.000 [0.998, 1.002]  2.00 [2.00, 2.00]               3.00    "
        "0.8750  holds 3.1e-07\n"
        "  1a  zero-r2    zero                2×1  1.000 [0.999, 1.002]  2.00 [2.00, 2.00]               3.00    "
        "0.8750  holds 3.1e-07\n"
        "  3b  single-r1  single              1×1  2.000 [1.998, 2.002]               1.00               3.00    "
        "0.8750  holds 3.1e-07\n");
}

TEST_CASE("decision: cases within the margin are equally fast") {
  const std::string text = decide(rank_cases(three_cases()));
  INFO(text);
  CHECK(has(text, "Tie for the best: ddp on 2 ranks × 1 thread (1.000 [0.998, 1.002] ms per step) and zero"));
  CHECK(has(text, "They are equally fast: their times differ by less than 1.00 %."));
  CHECK(
      has(text, "The runner-up is single on 1 rank × 1 thread: the first is 2.00 times (2.00 to 2.00) as fast as it."));
  CHECK(has(text,
            "Basis: 5 rounds, until the ratios were precise enough; a second copy of the baseline was 1.000 times ("));
}

TEST_CASE("decision: wide intervals name no winner") {
  Records records = three_cases();
  std::erase_if(records.visits, [](const VisitRecord& visit) { return visit.case_id == "zero-r2"; });
  add_rounds(records.visits, "zero-r2", {1.2, 0.9, 1.3, 1.0, 1.1});
  const std::string text = decide(rank_cases(records));
  INFO(text);
  CHECK(has(text, "The measurement does not show which is faster: the first is 1."));
}

TEST_CASE("decision: a winner has paired ratios") {
  Records records = three_cases();
  records.cases.pop_back();
  const std::string text = decide(rank_cases(records));
  INFO(text);
  CHECK(text.starts_with(
      "Best: ddp on 2 ranks × 1 thread, 1.000 [0.998, 1.002] ms per step, 2.00 times (2.00 to 2.00) as "
      "fast as the runner-up, single on 1 rank × 1 thread."));
}

TEST_CASE("decision: no winner if epochs say otherwise") {
  Records records = three_cases();
  for (CaseRecord& record : records.cases) record.measurement->epoch_seconds = 10;
  records.cases[0].measurement->epoch_seconds = 8;
  const std::string text = decide(rank_cases(records));
  INFO(text);
  CHECK(text.starts_with("No winner: by steps it would be ddp on 2 ranks × 1 thread"));
  CHECK(has(text, "an epoch of single on 1 rank × 1 thread took 8.00 s"));
  records.cases[0].measurement->epoch_seconds = 9.95;  // within the margin
  CHECK(has(decide(rank_cases(records)), "Tie for the best"));
}

TEST_CASE("results that look wrong have warnings") {
  Records records = three_cases();
  CHECK(format_warnings(rank_cases(records)).empty());
  const auto warning = [&] { return format_warnings(rank_cases(records)); };
  Measurement& ddp = *records.cases[1].measurement;
  SECTION("steps and epochs differ") {
    ddp.epoch_seconds = 1.5;
    ddp.steps_per_epoch = 1000;
    CHECK(has(warning(), "warning: ddp-r2 took 1.50 ms per step in its epochs, but 1.00 ms when its steps were timed"));
  }
  SECTION("a wrong prediction") {
    ddp.prediction.emplace().step_seconds = 0.4e-3;
    CHECK(has(warning(), "warning: ddp-r2 took 1.00 ms per step, but 400 us were predicted"));
  }
  SECTION("input-bound") {
    for (VisitRecord& visit : records.visits) {
      if (visit.case_id == "ddp-r2") visit.budget.input = visit.step_seconds;
    }
    CHECK(has(warning(), "warning: ddp-r2 waits for input for 50.0 % of its step"));
  }
  SECTION("ranks of unequal speed") {
    ddp.rank_speeds = "167,100";
    CHECK(has(warning(),
              "warning: rank 1 of ddp-r2 computed 1.67 times as long as rank 0 for equal work; if it also does so on a "
              R"(quiet machine, {"kind": "balanced", "speeds": [167,100]} gives the ranks samples in proportion)"));
    ddp.rank_speeds = "119,100";
    CHECK(warning().empty());
  }
  SECTION("too large a speedup") {
    for (VisitRecord& visit : records.visits) {
      if (visit.case_id != "single-r1") visit.step_seconds /= 2;
    }
    CHECK(has(warning(), "warning: the speedup of ddp-r2 (4.00) exceeds its 2 ranks"));
  }
  SECTION("rounds differ") {
    for (VisitRecord& visit : records.visits) {
      if (visit.round == 2) visit.step_seconds *= 1.5;
      visit.disturbed = visit.round == 2;
    }
    const std::string text = warning();
    INFO(text);
    CHECK(has(text, "warning: this machine was busy or changed its speed: the step time of "));
    CHECK(has(text, "others disturbed 2 of its visits"));
  }
}
