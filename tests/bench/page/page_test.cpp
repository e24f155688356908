#include "bench/page/page.h"

#include <fmt/core.h>
#include <limits>

#include "bench/page/quantity.h"
#include "bench/page/sections.h"
#include "bench/page/text_parts.h"
#include "bench/record_fixtures.h"
#include "bench/records/csv.h"
#include "bench/records/rounds.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::is_in;
using ddlbench::test::times_in;

namespace {

CaseRecord page_case(const std::string& strategy, int ranks, double milliseconds) {
  CaseRecord record = test::finished_case(strategy, ranks, milliseconds, 0.1);
  record.measurement->epoch_seconds = milliseconds * 0.1;
  record.measurement->prediction = PredictionRecord{milliseconds * 0.9e-3, {}, 3 << 20};
  record.measurement->budget.forward = milliseconds * 1e-3;
  return record;
}

EpochRecord page_epoch(const std::string& case_id, int number, double accuracy) {
  EpochRecord epoch;
  epoch.case_id = case_id;
  epoch.epoch = number;
  epoch.accuracy_ratio = accuracy;
  epoch.elapsed_seconds = number;
  return epoch;
}

/// Two ranked cases, one that failed, and one that started and did not end.
Records page_records() {
  Records records;
  records.cases = {page_case("single", 1, 10), page_case("ddp", 2, 5.4321),
                   test::ended_case("tensor", 2, Status::out_of_memory, "needs <2 GiB> & more")};
  for (const CaseRecord& record : records.cases) records.started.push_back({record.case_id, "2026-11-21T08:15:30Z"});
  records.started.push_back({"gpipe-r2", "2026-11-21T08:15:31Z"});
  records.epochs = {page_epoch("ddp-r2", 1, 0.5), page_epoch("ddp-r2", 2, 0.75)};
  RankRecord rank;
  rank.case_id = "ddp-r2";
  rank.peak_bytes = {{"parameters", 1 << 20}, {"activations", 2 << 20}};
  records.ranks = {rank};
  for (const double seconds : {0.0, 1.0, 2.0}) {
    UtilisationRecord sample;
    sample.case_id = "ddp-r2";
    sample.elapsed_seconds = seconds;
    if (seconds > 0) sample.cpu_user_ratio = 0.5;
    records.utilisation.push_back(sample);
  }
  return records;
}

}  // namespace

TEST_CASE("a page has the cells of the CSV file, and what was rounded from them") {
  const RunResults results = results_of("folder", page_records());
  const std::string text = page({results});
  for (const CaseRow& row : results.rows) {
    if (!row.record.measurement) continue;
    CHECK(is_in(text, "data-value=\"" + cell(row.record.measurement->step_seconds) + "\""));
    CHECK(is_in(text, "data-value=\"" + cell(*row.comparison.speedup_ratio) + "\""));
  }
  CHECK(is_in(text, ">5.432</td>"));
  CHECK(is_in(text, ">[5.332, 5.532]</td>"));
  CHECK(is_in(text, ">1.84</td>"));
}

TEST_CASE("a page has every section that has something to show") {
  const std::string text = page({results_of("folder", page_records())});
  for (const char* id : {"question", "verdict", "cases", "ranks", "memory", "learning", "budget", "prediction",
                         "utilisation", "failures", "repeat"}) {
    INFO(id);
    CHECK(is_in(text, std::string("<section id=\"") + id + "\""));
    CHECK(is_in(text, std::string("<a href=\"#") + id + "\">"));
  }
  for (const char* id : {"weak-scaling", "schedule", "environment"})
    CHECK(!is_in(text, std::string("<section id=\"") + id + "\""));
}

TEST_CASE("a run with rounds has them drawn, and its verdicts, places and seeds in words") {
  Records records;
  for (const std::uint64_t seed : {1, 2}) {
    for (CaseRecord record : {page_case("single", 1, 10), page_case("ddp", 2, 5)}) {
      record.seed = seed;
      record.case_id += "-s" + std::to_string(seed);
      record.contract_id = "contract-" + std::to_string(seed);
      record.replicate_id = "replicate";
      for (int round = 1; round <= 4; ++round) {
        for (const bool control : {false, true}) {
          if (control && record.ranks > 1) continue;
          VisitRecord visit;
          visit.case_id = record.case_id;
          visit.round = round;
          visit.control = control;
          visit.status = Status::ok;
          visit.step_seconds = record.measurement->step_seconds * (1 + 0.05 * round + (control ? 1e-4 : 0));
          visit.disturbed = round == 1;
          records.visits.insert(records.visits.end(), visits_in_order, visit);
        }
      }
      records.cases.push_back(record);
    }
  }
  const RunResults results = results_of("folder", records);
  const std::string text = page({results});
  CHECK(is_in(text, "<section id=\"rounds\""));
  CHECK(is_in(text, "48 visits; others disturbed 12 of them"));
  CHECK(is_in(text, "single-r1-s1, second copy, round 4: 12.00 ms"));
  CHECK(is_in(text, ">faster</td>"));
  CHECK(is_in(text, "data-value=\"" + cell(*results.rows[1].comparison.speedup_low_ratio) + "\""));
  CHECK(is_in(text, "warning: this machine was busy"));
  CHECK(is_in(text, "over the seeds 1, 2"));
}

TEST_CASE("memory is that of one instant if the run has it") {
  Records records = page_records();
  const std::string of_peaks = memory_section(results_of("folder", records)).str();
  CHECK(is_in(of_peaks, "Classes peak at different moments"));
  CHECK(is_in(of_peaks, "(2097152 bytes)"));
  records.ranks[0].at_peak_bytes = {{"parameters", 1 << 20}, {"activations", 1 << 10}};
  const std::string of_an_instant = memory_section(results_of("folder", records)).str();
  CHECK(is_in(of_an_instant, "at the instant of the step"));
  CHECK(is_in(of_an_instant, "(1024 bytes)"));
}

TEST_CASE("a speedup is drawn with the interval of the table") {
  const RunResults results = results_of("folder", page_records());
  const Comparison& compared = results.rows[1].comparison;
  REQUIRE(compared.verdict);
  const std::string text = ranks_section(results).str();
  CHECK(is_in(text, fmt::format("[{}, {}]", significant(*compared.speedup_low_ratio, 4),
                                significant(*compared.speedup_high_ratio, 4))));
}

TEST_CASE("failures have their reasons, escaped, and a case that never ended is one") {
  const std::string text = failures_section(results_of("folder", page_records())).str();
  CHECK(is_in(text, "needs &lt;2 GiB&gt; &amp; more"));
  CHECK(is_in(text, ">gpipe-r2</th>"));
  CHECK(is_in(text, "the run ended while the case ran"));
  Records good = page_records();
  good.cases.pop_back();
  good.started.pop_back();
  good.started.pop_back();
  CHECK(is_in(failures_section(results_of("folder", good)).str(), "None:"));
}

TEST_CASE("nothing from outside becomes markup") {
  Records records = page_records();
  for (CaseRecord& record : records.cases) {
    const std::string bad = "<script>alert('" + record.strategy + "')</script>";
    record.strategy = record.case_id = record.workload = record.dataset = record.optimizer = record.experiment = bad;
    record.transport = record.device = record.precision = record.throttle = record.target = bad;
    if (record.measurement) record.measurement->device_name = bad;
  }
  for (EpochRecord& record : records.epochs) record.case_id = records.cases[1].case_id;
  for (RankRecord& record : records.ranks) record.peak_bytes[record.case_id = records.cases[1].case_id] = 1;
  for (UtilisationRecord& record : records.utilisation) record.case_id = records.cases[1].case_id;
  RunResults results = results_of("<script>folder", records);
  results.environment = {{"<script>key", "<script>value"}, {"cpu", "<script>cpu"}};
  results.notes = {"<script>note"};
  results.schedules[records.cases[0].case_id] = {{{"<script>rank", {{StretchKind::forward, 0, 0, 10}}, {}}}, 10};
  const std::string text = page({results});
  CHECK(times_in(text, "<script") == 1);  // the page's own
  CHECK(is_in(text, "&lt;script&gt;rank"));
}

TEST_CASE("a run without cases is a page, too") {
  const std::string text = page({results_of("folder", {})});
  CHECK(is_in(text, "there were no cases"));
  CHECK(is_in(text, "ddlbench --config folder/config.json"));
}

TEST_CASE("numbers that are not finite are not drawn") {
  Records records = page_records();
  for (EpochRecord& epoch : records.epochs) epoch.accuracy_ratio = std::numeric_limits<double>::quiet_NaN();
  records.cases[1].measurement->prediction->step_seconds = std::numeric_limits<double>::infinity();
  records.cases[0].measurement->epoch_seconds = std::numeric_limits<double>::infinity();
  const RunResults results = results_of("folder", records);
  CHECK(!is_in(learning_section(results).str(), "<figure>"));
  CHECK(!is_in(prediction_section(results).str(), "ddp-r2 ("));
  CHECK(is_in(prediction_section(results).str(), "single-r1 ("));
  CHECK(!is_in(ranks_section(results).str(), "nan"));
  CHECK(is_in(table_section(results).str(), ">inf</td>"));
}

TEST_CASE("cases that differ in the seed alone are one line in charts") {
  Records records;
  for (const std::uint64_t seed : {1, 2, 3}) {
    CaseRecord record = page_case("single", 1, 10.0 + static_cast<double>(seed));
    record.case_id += "-s" + std::to_string(seed);
    record.contract_id = "contract-" + std::to_string(seed);
    record.replicate_id = "replicate";
    record.seed = seed;
    records.cases.push_back(record);
    for (const int number : {1, 2}) {
      const double accuracy = 0.25 * number + 0.01 * static_cast<double>(seed);
      records.epochs.push_back(page_epoch(record.case_id, number, accuracy));
    }
  }
  const RunResults results = results_of("folder", records);
  const std::string learning = learning_section(results).str(), ranks = ranks_section(results).str();
  CHECK(times_in(learning, "<figure>") == 2);  // against time and against epochs
  CHECK(is_in(learning, "single, 1×1, 3 seeds, epoch 2: 0.5200 [0.4952, 0.5448] after 2.00 s"));
  CHECK(times_in(ranks, "<figure>") == 2);  // time and speedup
  CHECK(is_in(ranks, "single, 1×1, 3 seeds: 1.198 s [0.9728, 1.473]"));
  SECTION("of which one lost a rank") {
    records.cases[2].status = Status::lost_rank;
    records.epochs.pop_back();
    CHECK(is_in(learning_section(results_of("folder", records)).str(), "single, 1×1, 2 seeds, epoch 2: 0.5150 ["));
  }
  SECTION("of which one is not certified") {
    records.cases[2].measurement->certified = false;
    const std::string others = ranks_section(results_of("folder", records)).str();
    CHECK(is_in(others, "single, 1×1, 2 seeds: 1.149 s ["));
    CHECK(!is_in(others, "hollow"));
  }
}

TEST_CASE("several runs share a page, and their links differ") {
  const std::string text = page({results_of("a", page_records()), results_of("b", page_records())});
  CHECK(is_in(text, "<section id=\"run1-cases\""));
  CHECK(is_in(text, "<section id=\"run2-cases\""));
}

TEST_CASE("a folder that a shell would not read as one word is quoted") {
  const std::string text = repeat_section(results_of("it's here", {})).str();
  CHECK(is_in(text, "ddlbench report &#39;it&#39;\\&#39;&#39;s here&#39;"));
}
