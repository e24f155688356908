#include "bench/page/case_lines.h"

#include <set>

#include "base/error.h"
#include "bench/record_fixtures.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

CaseRecord case_of_line(const std::string& strategy, int ranks, const std::string& contract, std::int64_t batch) {
  CaseRecord record = test::finished_case(strategy, ranks, 10.0 / ranks, 0.1);
  record.case_id += "-" + contract;
  record.contract_id = contract;
  record.scaling_id = "curve";
  record.global_batch = batch;
  return record;
}

std::vector<std::string> line_labels(const std::vector<CaseLine>& lines) {
  std::vector<std::string> result;
  for (const CaseLine& line : lines) result.push_back(line.facet.empty() ? line.label : line.facet + ": " + line.label);
  return result;
}

RunResults line_results(std::vector<CaseRecord> cases) {
  Records records;
  records.cases = std::move(cases);
  return results_of("folder", std::move(records));
}

}  // namespace

TEST_CASE("cases of one strategy and contract are a line over ranks") {
  const RunResults results = line_results(
      {case_of_line("ddp", 4, "a", 64), case_of_line("single", 1, "a", 64), case_of_line("ddp", 2, "a", 64)});
  const auto lines = case_lines(results);
  CHECK(line_labels(lines) == std::vector<std::string>{"ddp", "single"});
  REQUIRE(lines[0].points.size() == 2);
  CHECK(lines[0].points[0].front()->record.ranks == 2);
  CHECK(!lines[0].weak);
}

TEST_CASE("contracts that differ in the batch form a line of weak scaling") {
  const RunResults results =
      line_results({case_of_line("ddp", 1, "a", 16), case_of_line("ddp", 2, "b", 32), case_of_line("ddp", 4, "c", 64)});
  const auto lines = case_lines(results);
  CHECK(line_labels(lines) == std::vector<std::string>{"batch 16 per rank: ddp"});
  CHECK(lines[0].weak);
  CHECK(lines[0].points.size() == 3);
}

TEST_CASE("a sweep over batches and ranks has lines of both kinds") {
  const RunResults results = line_results({case_of_line("ddp", 1, "a", 16), case_of_line("ddp", 2, "a", 16),
                                           case_of_line("ddp", 1, "b", 32), case_of_line("ddp", 2, "b", 32)});
  CHECK(line_labels(case_lines(results)) ==
        std::vector<std::string>{"batch 16: ddp", "batch 32: ddp", "batch 16 per rank: ddp"});
}

TEST_CASE("what distinguishes contracts distinguishes charts") {
  std::vector<CaseRecord> cases;
  for (const char* precision : {"fp32", "bf16"}) {
    for (const int ranks : {1, 2}) {
      CaseRecord record = case_of_line("ddp", ranks, precision, 64);
      record.scaling_id = precision;
      record.precision = precision;
      cases.push_back(record);
    }
  }
  const RunResults results = line_results(cases);
  const auto lines = case_lines(results);
  CHECK(line_labels(lines) == std::vector<std::string>{"fp32: ddp", "bf16: ddp"});
  CHECK(facets_of(lines) == std::vector<std::string>{"fp32", "bf16"});
  CHECK(contract_facet(results, cases[2]) == "bf16");
  CHECK(lines[0].look.colour == lines[1].look.colour);
}

TEST_CASE("no number of ranks occurs twice on a line") {
  std::vector<CaseRecord> cases{case_of_line("ddp", 2, "a", 64), case_of_line("ddp", 2, "a", 64)};
  cases[1].threads_per_rank = 2;
  cases[1].case_id += "t";
  CHECK(line_labels(case_lines(line_results(cases))) == std::vector<std::string>{"ddp, 1 thread", "ddp, 2 threads"});
  cases[1].threads_per_rank = 1;
  CHECK(line_labels(case_lines(line_results(cases))) == std::vector<std::string>{"ddp, ddp-r2-a", "ddp, ddp-r2-at"});
}

TEST_CASE("seeds are replicates of a point and not lines of their own") {
  std::vector<CaseRecord> cases;
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const int ranks : {1, 2}) {
      CaseRecord record = case_of_line("ddp", ranks, "seed" + std::to_string(seed), 64);
      record.scaling_id = record.contract_id;
      record.replicate_id = "replicate";
      record.seed = seed;
      cases.push_back(record);
    }
  }
  const RunResults results = line_results(cases);
  const auto lines = case_lines(results);
  CHECK(line_labels(lines) == std::vector<std::string>{"ddp"});
  REQUIRE(lines[0].points.size() == 2);
  CHECK(lines[0].points[0].size() == 3);
  CHECK(lines[0].points[1].back()->record.seed == 3);
  CHECK(contract_facet(results, cases[0]) == "seed 1");
  CHECK(replicates_facet(results, cases[0]).empty());
}

TEST_CASE("seeds are joined where each number of ranks has other ones") {
  std::vector<CaseRecord> cases;
  for (const auto& [ranks, seed] :
       {std::pair(1, 1), std::pair(1, 2), std::pair(2, 1), std::pair(2, 2), std::pair(4, 2), std::pair(4, 3)}) {
    CaseRecord record = case_of_line("ddp", ranks, "seed" + std::to_string(seed), 64);
    record.scaling_id = record.contract_id;
    record.replicate_id = "replicate";
    record.seed = static_cast<std::uint64_t>(seed);
    cases.push_back(record);
  }
  const auto lines = case_lines(line_results(cases));
  CHECK(line_labels(lines) == std::vector<std::string>{"ddp"});
  CHECK(lines[0].points.size() == 3);
}

TEST_CASE("cases of several seeds that differ otherwise, too, are not replicates") {
  std::vector<CaseRecord> cases{case_of_line("ddp", 2, "a", 64), case_of_line("ddp", 2, "b", 64),
                                case_of_line("ddp", 2, "b", 64)};
  for (CaseRecord& record : cases) record.replicate_id = "replicate";
  cases[1].seed = 2;
  cases[1].transport = "mpi";
  cases[2].seed = 2;
  cases[2].threads_per_rank = 2;
  for (const Replicates& one : replicates_of(line_results(cases))) CHECK(one.size() == 1);
}

TEST_CASE("a kind of strategy has one colour, its settings have shapes") {
  const Looks looks({"zero stage=2", "zero stage=3", "ddp", "ddp"});
  CHECK(looks.of("zero stage=2").colour == looks.of("zero stage=3").colour);
  CHECK(looks.of("zero stage=2").shape != looks.of("zero stage=3").shape);
  CHECK(looks.of("ddp").colour != looks.of("zero stage=2").colour);
  CHECK_THROWS_AS(looks.of("tensor"), ContractError);
}

TEST_CASE("kinds of strategies without a colour of their own have different colours in a run") {
  const std::vector<std::string> kinds{"zb_h1", "zb_h2", "zb_v", "v_half", "v_min", "hanayo", "chimera"};
  const Looks looks(kinds);
  std::set<std::string> colours;
  for (const std::string& kind : kinds) colours.insert(looks.of(kind).colour);
  CHECK(colours.size() == kinds.size());
  const Looks settings({"hanayo", "hanayo chunks=4"});
  CHECK(settings.of("hanayo").colour == settings.of("hanayo chunks=4").colour);
}
