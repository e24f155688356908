#include "platform/bound_cores.h"

#include <thread>

#if defined(_OPENMP)
#include <omp.h>
#endif

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

#if defined(_OPENMP)
namespace {

/// Returns the cores of the OpenMP threads of the calling thread.
std::vector<std::vector<int>> cores_of_team(int count) {
  std::vector<std::vector<int>> cores(static_cast<std::size_t>(count));
#pragma omp parallel num_threads(count)
  cores[static_cast<std::size_t>(omp_get_thread_num())] = allowed_cores();
  return cores;
}

}  // namespace

TEST_CASE("the affinity of OpenMP threads is restored, too", "[bound_cores]") {
  const std::vector<int> allowed = allowed_cores();
  const int count = static_cast<int>(allowed.size()) + 1;
  std::vector<std::vector<int>> bound_before, bound_after, after;
  std::thread([&] {
    {
      const BoundCores outer(allowed, 0, count);
      bound_before = cores_of_team(count);
      { const BoundCores inner(allowed, 1, 2); }
      bound_after = cores_of_team(count);
    }
    after = cores_of_team(count);
  }).join();
  CHECK(bound_before[1] == std::vector<int>{allowed[1 % allowed.size()]});
  CHECK(bound_after == bound_before);
  CHECK(after == std::vector<std::vector<int>>(static_cast<std::size_t>(count), allowed));
}
#endif
