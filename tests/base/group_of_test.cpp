#include "base/group_of.h"

#include <string>

#include "catch.h"

using namespace ddlbench;

TEST_CASE("groups keep the order in which their keys first appeared") {
  std::vector<std::pair<std::string, std::vector<int>>> groups;
  int value = 0;
  for (const char* key : {"b", "a", "b", "c", "a"}) group_of(groups, std::string(key)).push_back(++value);
  using Groups = decltype(groups);
  CHECK(groups == Groups{{"b", {1, 3}}, {"a", {2, 5}}, {"c", {4}}});
}
