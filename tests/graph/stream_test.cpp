#include "graph/stream.h"

#include <set>
#include <string_view>

#include "catch.h"

using namespace ddlbench::graph;

TEST_CASE("streams have different names, and the last one is not recorded") {
  std::set<std::string_view> names;
  for (std::size_t s = 0; s < streams; ++s) names.insert(name(static_cast<Stream>(s)));
  CHECK(names.size() == streams);
  CHECK(static_cast<std::size_t>(Stream::input) == recorded_streams);
}
