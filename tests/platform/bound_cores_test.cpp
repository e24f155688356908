#include "platform/bound_cores.h"

#include <thread>

#include "base/error.h"
#include "catch.h"

using namespace ddlbench::platform;

TEST_CASE("a thread is bound to its cores, modulo their number, and its affinity is restored", "[bound_cores]") {
  const std::vector<int> allowed = allowed_cores();
  REQUIRE_FALSE(allowed.empty());
  const int count = static_cast<int>(allowed.size());
  std::thread([&] {
    {
      const BoundCores bound(allowed, count, 1);
      CHECK(allowed_cores() == std::vector<int>{allowed[0]});
      std::vector<int> inherited;
      std::thread([&] { inherited = allowed_cores(); }).join();
      CHECK(inherited == std::vector<int>{allowed[0]});
    }
    CHECK(allowed_cores() == allowed);
    {
      const BoundCores bound(allowed, count - 1, count);  // an OpenMP team; this thread is on its first core
      CHECK(allowed_cores() == std::vector<int>{allowed.back()});
      REQUIRE(team_cores().size() == allowed.size());
      CHECK(team_cores().front() == allowed.back());
      std::vector<int> moved;
      std::thread([&] {
        bind_to_core(allowed.front());
        moved = allowed_cores();
      }).join();
      CHECK(moved == std::vector<int>{allowed.front()});
    }
    {
      const BoundCores bound(allowed, 1, count, BoundCores::Threads::together);
      CHECK(allowed_cores() == allowed);
      CHECK(team_cores().empty());
    }
    CHECK(team_cores().empty());
    CHECK_THROWS_AS(BoundCores(allowed, 0, 0), ddlbench::ContractError);
  }).join();
}
