#include "bench/records/comparison.h"

#include "../record_fixtures.h"
#include "catch.h"

using namespace ddlbench::bench;
using ddlbench::test::ended_case;
using ddlbench::test::finished_case;

TEST_CASE("speedups are relative to the best one-rank row of the contract") {
  std::vector<CaseRecord> records{finished_case("single", 1, 8, 0.1), finished_case("single", 1, 6, 0.1),
                                  finished_case("ddp", 1, 12, 0.1), finished_case("ddp", 2, 3, 0.1),
                                  ended_case("gpipe", 2, Status::failed, "x")};
  records[1].case_id = "single-t2";
  records[1].threads_per_rank = 2;

  const auto compared = compare(records);

  REQUIRE(compared.size() == 5);
  CHECK(compared[3].baseline_case_id == "single-t2");
  CHECK(*compared[3].speedup_ratio == Approx(2));
  CHECK(*compared[3].own_speedup_ratio == Approx(4));
  CHECK(*compared[3].efficiency_ratio == Approx(2.0 * 2 / 2));
  CHECK(*compared[1].speedup_ratio == Approx(1));
  CHECK(*compared[0].efficiency_ratio == Approx(6.0 / 8 * 2 / 1));
  CHECK(compared[4].baseline_case_id.empty());
  CHECK_FALSE(compared[4].speedup_ratio.has_value());
}

TEST_CASE("a baseline must be trustworthy and of the same contract") {
  std::vector<CaseRecord> records{finished_case("single", 1, 1, 0), finished_case("ddp", 2, 3, 0)};
  SECTION("another contract") {
    records[0].contract_id = "other";
  }
  SECTION("oversubscribed") {
    records[0].oversubscribed = true;
  }
  SECTION("its certificate failed") {
    records[0].measurement->certified = false;
  }
  SECTION("it failed") {
    records[0] = ended_case("single", 1, Status::timed_out, "");
  }
  const auto compared = compare(records);
  CHECK(compared[1].baseline_case_id.empty());
  CHECK_FALSE(compared[1].speedup_ratio.has_value());
  CHECK_FALSE(compared[1].own_speedup_ratio.has_value());
  CHECK_FALSE(compared[1].efficiency_ratio.has_value());
}

TEST_CASE("a row with a failed certificate has no speedup") {
  std::vector<CaseRecord> records{finished_case("single", 1, 4, 0), finished_case("ddp", 2, 3, 0)};
  records[1].measurement->certified = false;
  CHECK_FALSE(compare(records)[1].speedup_ratio.has_value());
}

TEST_CASE("on GPUs efficiency counts GPUs, not the host's threads") {
  std::vector<CaseRecord> records{finished_case("single", 1, 4, 0), finished_case("ddp", 4, 2, 0)};
  records[0].threads_per_rank = records[1].threads_per_rank = 3;
  records[0].measurement->devices = 1;
  records[1].measurement->devices = 2;
  CHECK(*compare(records)[1].efficiency_ratio == Approx(2.0 * 1 / 2));
}

TEST_CASE("an unexpected outcome or a failed certificate makes a run fail") {
  CHECK_FALSE(is_failure(finished_case("ddp", 2, 1, 0)));
  CHECK_FALSE(is_failure(ended_case("ddp", 2, Status::unsupported, "")));
  CHECK_FALSE(is_failure(ended_case("ddp", 2, Status::skipped, "")));
  CHECK(is_failure(ended_case("ddp", 2, Status::failed, "")));
  CHECK(is_failure(ended_case("ddp", 2, Status::interrupted, "")));
  CaseRecord expected = ended_case("ddp", 2, Status::out_of_memory, "");
  CHECK(is_failure(expected));
  expected.expect = "out_of_memory";
  CHECK_FALSE(is_failure(expected));
  expected.status = Status::ok;
  CHECK(is_failure(expected));
  expected.status = Status::unsupported;
  CHECK_FALSE(is_failure(expected));
  CaseRecord wrong = finished_case("ddp", 2, 1, 0);
  wrong.measurement->certified = false;
  CHECK(is_failure(wrong));
  wrong.measurement->certificate_update.reset();  // no single rank can hold the model
  CHECK_FALSE(is_failure(wrong));
  wrong.measurement->certificate_update = 1;
  wrong.measurement->promise = "lossy";  // departs from its own rule
  CHECK(is_failure(wrong));
}

TEST_CASE("every status has a name that is read back") {
  for (const char* text : {"ok", "failed", "crashed", "out_of_memory", "timed_out", "non_finite", "lost_rank",
                           "bad_data", "unsupported", "interrupted", "skipped"}) {
    const auto status = parse_status(text);
    REQUIRE(status.has_value());
    CHECK(name(*status) == text);
  }
  CHECK_FALSE(parse_status("fine").has_value());
}
