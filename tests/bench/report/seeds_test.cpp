#include "bench/report/seeds.h"

#include "../record_fixtures.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns a trained case of one seed, whose contract differs from that of other seeds.
CaseRecord replicate(const std::string& strategy, int ranks, std::uint64_t seed, double milliseconds, double accuracy) {
  CaseRecord record = test::finished_case(strategy, ranks, milliseconds, 0.01);
  record.seed = seed;
  record.contract_id = "contract-" + std::to_string(seed);
  record.replicate_id = "replicate";
  record.measurement->final_accuracy_ratio = accuracy;
  return record;
}

std::string seeds_of(const std::vector<CaseRecord>& cases) {
  Records records;
  records.cases = cases;
  return format_seeds(rank_cases(records));
}

bool shows(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("cases that differ in the seed alone are one line with intervals over the seeds") {
  const std::string text = seeds_of({replicate("single", 1, 1, 2.0, 0.80), replicate("ddp", 2, 1, 1.0, 0.81),
                                     replicate("single", 1, 2, 2.2, 0.82), replicate("ddp", 2, 2, 1.1, 0.80),
                                     replicate("single", 1, 3, 2.1, 0.81), replicate("ddp", 2, 3, 1.05, 0.82)});
  CHECK(shows(text, "mlp on idx, global batch 64, fp32, sgd, over the seeds 1, 2, 3\n"));
  CHECK(shows(text, "step, ms [95 %]"));
  CHECK(shows(text, "2.00 [2.00, 2.00]"));  // each seed's step is twice as long on one rank
  CHECK(shows(text, "0.8100 ["));
  CHECK(shows(text, "not shown to differ"));
  CHECK(!shows(text, "target"));
}

TEST_CASE("replicates over several transports are lines of their own") {
  std::vector<CaseRecord> cases;
  for (const std::uint64_t seed : {1, 2}) {
    cases.push_back(replicate("single", 1, seed, 4.0, 0.80));
    cases.push_back(replicate("ddp", 2, seed, 2.0, 0.80));
    cases.push_back(replicate("ddp", 2, seed, 1.0, 0.80));
    cases.back().transport = "mpi";
    cases.back().case_id += "-mpi";
  }
  const std::string text = seeds_of(cases);
  const std::size_t over_mpi = text.find("  ddp, mpi ");
  REQUIRE(over_mpi != std::string::npos);
  CHECK(shows(text.substr(over_mpi), "4.00 [4.00, 4.00]"));
  CHECK(shows(text.substr(0, over_mpi), "2.00 [2.00, 2.00]"));
}

TEST_CASE("an accuracy that differs in every seed is called better or worse") {
  std::vector<CaseRecord> cases;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const double noise = 0.01 * static_cast<double>(seed % 3);
    cases.push_back(replicate("single", 1, seed, 2, 0.80 + noise));
    cases.push_back(replicate("ddp", 2, seed, 1, 0.80 + noise + 1e-4 * static_cast<double>(seed % 2)));
    cases.push_back(replicate("lossy", 2, seed, 1, 0.75 + noise + 1e-3 * static_cast<double>(seed % 2)));
    cases.back().measurement->promise = "lossy";  // not ranked, so its step time is not shown
  }
  const std::string text = seeds_of(cases);
  CHECK(shows(text, "not shown to differ"));
  const std::string lossy = text.substr(text.find("  lossy"));
  CHECK(shows(lossy, "worse"));
  CHECK(shows(lossy, "-0.0495 ["));
  CHECK(!shows(lossy, "ms"));
}

TEST_CASE("the way to the target is estimated if all seeds reached it") {
  std::vector<CaseRecord> cases{replicate("single", 1, 1, 2, 0.8), replicate("single", 1, 2, 2, 0.8),
                                replicate("ddp", 2, 1, 1, 0.8), replicate("ddp", 2, 2, 1, 0.8)};
  for (CaseRecord& record : cases) record.target = "accuracy 0.8";
  cases[0].seconds_to_target = 3;
  cases[0].epochs_to_target = 2;
  cases[1].seconds_to_target = 5;
  cases[1].epochs_to_target = 4;
  cases[2].seconds_to_target = 1;
  cases[2].epochs_to_target = 2;
  const std::string text = seeds_of(cases);
  CHECK(shows(text, "4.00 ["));
  CHECK(shows(text, "3.0 ["));
  CHECK(shows(text, "1 of 2 reached it"));
}

TEST_CASE("one seed, or a journal without replicates, has no table of seeds") {
  CHECK(seeds_of({replicate("single", 1, 1, 2, 0.8), replicate("ddp", 2, 1, 1, 0.8)}).empty());
  CHECK(seeds_of({test::finished_case("single", 1, 2, 0.1)}).empty());
}
