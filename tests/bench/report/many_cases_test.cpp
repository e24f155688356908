#include "../record_fixtures.h"
#include "bench/records/comparison.h"
#include "bench/report/decision.h"
#include "bench/report/predicted.h"
#include "bench/report/table.h"
#include "catch.h"
#include "growth.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::growth;
using ddlbench::test::most_linear_growth;

namespace {

/// Returns cases that are distributed over `contracts`. Every fourth one failed, each for its own reason.
std::vector<CaseRecord> records_of(int count, int contracts) {
  std::vector<CaseRecord> records;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    records.push_back(i % 4 == 3 ? ddlbench::test::ended_case("zero " + number, 2, Status::failed, number)
                                 : ddlbench::test::finished_case("ddp " + number, 1 + i % 2, 1 + 0.001 * i, 0.0001));
    records.back().contract_id = "c" + std::to_string(i % contracts);
    records.back().case_id = number;
  }
  return records;
}

double growth_of_table(int size, bool one_contract) {
  return growth(size, [&](int count) {
    Records records;
    records.cases = records_of(count, one_contract ? 1 : count);
    const auto rankings = rank_cases(records);
    CHECK(rankings.size() == static_cast<std::size_t>(one_contract ? 1 : count));
    CHECK(!format_table(rankings).empty());
    CHECK(!decide(rankings).empty());
  });
}

}  // namespace

TEST_CASE("the table and the decision take time in proportion to the cases", "[F13]") {
  CHECK(growth_of_table(500, true) < most_linear_growth);
  CHECK(growth_of_table(500, false) < most_linear_growth);
}

TEST_CASE("comparing rows takes time in proportion to the cases", "[F13]") {
  CHECK(growth(500, [](int count) { CHECK(compare(records_of(count, 1)).size() == static_cast<std::size_t>(count)); }) <
        most_linear_growth);
}

TEST_CASE("predictions, each with its own contract, take time in proportion to the cases", "[F13]") {
  CHECK(growth(500, [](int count) {
          std::vector<PredictedCase> cases(static_cast<std::size_t>(count));
          for (int i = 0; i < count; ++i) cases[static_cast<std::size_t>(i)].which.contract_id = std::to_string(i);
          CHECK(!format_predictions(cases).empty());
        }) < most_linear_growth);
}
