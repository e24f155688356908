#include <list>

#include "catch.h"
#include "count_allocations.h"
#include "support.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;

TEST_CASE("operations in steady state allocate nothing") {
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 3) || allocates(transport)) continue;
    std::atomic<std::int64_t> during{-1};
    transport.launch(3, {}, [&](Communicator& communicator) {
      const int next = (communicator.rank() + 1) % 3;
      const int previous = (communicator.rank() + 2) % 3;
      const auto bf16 = graph::DType::bf16;
      Elements b(bf16, 50000), part(bf16, 50000);
      std::vector<OperationPtr> operations;
      std::list<Elements> sums;
      for (const auto algorithm : collectives::algorithms(graph::Collective::all_reduce)) {
        void* sum = sums.emplace_back(bf16, 50000).data();
        operations.push_back(communicator.all_reduce({sum, sum, 50000, bf16, {}, algorithm, nullptr, ""}));
      }
      operations.push_back(
          communicator.reduce_scatter({b.data(), part.data(), {20000, 1000, 29000}, bf16, {}, nullptr, ""}));
      operations.push_back(communicator.exchange({{b.data(), 10, next}}, {{part.data(40000), 10, previous}}, ""));
      const OperationPtr barrier = communicator.barrier();
      const auto rounds = [&](int count) {
        for (int i = 0; i < count; ++i) {
          for (const OperationPtr& operation : operations) operation->start();
          for (const OperationPtr& operation : operations) operation->wait();
        }
        run(barrier);
      };
      rounds(3);
      if (communicator.rank() == 0) during = -test::allocations.load();
      rounds(20);
      if (communicator.rank() == 0) during += test::allocations.load();
      run(barrier);
    });
    CHECK(from_every_rank(transport, std::vector<std::int64_t>(3, during)).front() == 0);
  }
}
