#include "bench/page/sections.h"
#include "bench/page/text_parts.h"
#include "bench/record_fixtures.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::is_in;
using ddlbench::test::times_in;

namespace {

/// A case whose batch grows with its ranks.
CaseRecord weak_case(const std::string& strategy, int ranks, std::int64_t batch_per_rank, double milliseconds) {
  CaseRecord record = test::finished_case(strategy, ranks, milliseconds, 0.1);
  record.case_id += "-b" + std::to_string(batch_per_rank);
  record.global_batch = ranks * batch_per_rank;
  record.contract_id = "batch " + std::to_string(record.global_batch);
  record.scaling_id = "curve";
  return record;
}

std::string section_of(std::vector<CaseRecord> cases) {
  Records records;
  records.cases = std::move(cases);
  return weak_scaling_section(results_of("folder", std::move(records))).str();
}

}  // namespace

TEST_CASE("weak scaling is drawn as one chart for each batch per rank, with a line for each strategy") {
  const std::string text =
      section_of({weak_case("ddp", 1, 16, 10), weak_case("ddp", 2, 16, 12.5), weak_case("zero", 1, 16, 11),
                  weak_case("zero", 2, 16, 15), weak_case("ddp", 1, 64, 40), weak_case("ddp", 2, 64, 44)});
  CHECK(times_in(text, "class=\"charts\"") == 2);
  CHECK(is_in(text, "Step time against ranks: batch 16 per rank"));
  CHECK(is_in(text, "Step time against ranks: batch 64 per rank"));
  for (const char* value : {"10.00", "12.50", "11.00", "15.00"}) {
    INFO(value);
    CHECK(is_in(text, value));
  }
  CHECK(is_in(text, "ideal: the step time of the fewest ranks"));
}

TEST_CASE("cases without a step time are left out of weak scaling, and with them a chart without lines") {
  CaseRecord lost = test::ended_case("ddp", 2, Status::lost_rank, "rank 1 was killed");
  lost.global_batch = 32;
  lost.contract_id = "batch 32";
  lost.scaling_id = "curve";
  const std::string text = section_of({weak_case("ddp", 1, 16, 10), lost, weak_case("ddp", 4, 16, 14)});
  CHECK(is_in(text, "14.00"));
  CHECK(!is_in(text, "rank 1 was killed"));
  CHECK(section_of({test::finished_case("ddp", 1, 10, 0.1), test::finished_case("ddp", 2, 6, 0.1)}).empty());
}
