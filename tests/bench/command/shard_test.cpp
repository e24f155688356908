#include "bench/command/shard.h"

#include <set>

#include "base/error.h"
#include "catch.h"
#include "failure.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

std::vector<Case> cases_with(const std::vector<std::string>& contracts) {
  std::vector<Case> cases;
  for (const std::string& contract : contracts) {
    cases.emplace_back();
    cases.back().id = std::to_string(cases.size());
    cases.back().contract_id = contract;
  }
  return cases;
}

std::string id_list(const std::vector<Case>& cases) {
  std::string text;
  for (const Case& which : cases) text += which.id + " ";
  return text;
}

}  // namespace

TEST_CASE("shards keep the cases of a contract together, and are as equal as contracts allow", "[shard]") {
  const std::vector<Case> cases = cases_with({"a", "a", "a", "b", "b", "c"});
  CHECK(id_list(cases_of_shard(cases, {1, 2})) == "1 2 3 ");
  CHECK(id_list(cases_of_shard(cases, {2, 2})) == "4 5 6 ");
  CHECK(id_list(cases_of_shard(cases, {3, 3})) == "6 ");
}

TEST_CASE("more shards than contracts divide the contracts", "[shard]") {
  const std::vector<Case> cases = cases_with({"a", "a", "a"});
  CHECK(id_list(cases_of_shard(cases, {1, 2})) == "1 3 ");
  CHECK(id_list(cases_of_shard(cases, {2, 2})) == "2 ");
  test::check_says(test::failure_of<InputError>([&] { cases_of_shard(cases, {4, 4}); }), "part 4 of 4 has no cases");
}

TEST_CASE("all shards together have each case once", "[shard]") {
  std::vector<std::string> contracts;
  for (int i = 0; i < 40; ++i) contracts.push_back(std::to_string(i * i % 7));
  const std::vector<Case> cases = cases_with(contracts);
  for (const std::size_t count : {1, 2, 3, 4, 7, 20}) {
    std::multiset<std::string> seen;
    for (std::size_t number = 1; number <= count; ++number) {
      for (const Case& which : cases_of_shard(cases, {number, count})) seen.insert(which.id);
    }
    CHECK(seen.size() == cases.size());
    CHECK(std::set<std::string>(seen.begin(), seen.end()).size() == cases.size());
  }
}

TEST_CASE("a shard that is none is rejected", "[shard]") {
  CHECK(parse_shard("2/4").number == 2);
  CHECK(parse_shard("2/4").count == 4);
  for (const char* text : {"", "2", "2/", "/4", "0/4", "a/4", "2/4x", "-1/4"}) {
    INFO(text);
    test::check_says(test::failure_of<InputError>([&] { parse_shard(text); }), "expected I/N");
  }
  test::check_says(test::failure_of<InputError>([] { parse_shard("5/4"); }), "part 5 of 4 does not exist");
}
