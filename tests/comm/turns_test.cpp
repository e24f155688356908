// Operations in turn (Reduce::in_turn).

#include "conformance.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;

namespace {

OperationPtr sum(Communicator& communicator, Elements& elements, bool in_turn, collectives::Algorithm algorithm = {}) {
  Reduce call{elements.data(), elements.data(), elements.count(), elements.dtype(), {}, algorithm, nullptr, ""};
  call.in_turn = in_turn;
  return communicator.all_reduce(call);
}

}  // namespace

TEST_CASE("operations in turn do not share the link with all that follow") {
  constexpr int operations = 12;
  constexpr std::int64_t count = 10'000;
  WorldOptions options{std::chrono::seconds(30)};
  options.throttle.bytes_per_second = 2e7;  // 2 ms for each operation
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 2) || !progresses_in_background(transport)) continue;
    INFO(transport.name);
    REQUIRE_NOTHROW(transport.launch(2, options, [&](Communicator& communicator) {
      std::vector<Elements> values(operations, Elements(graph::DType::f32, count));
      std::vector<OperationPtr> all;
      for (int i = 0; i < operations; ++i) {
        fill(values[index_of(i)], communicator.rank(), i);
        all.push_back(sum(communicator, values[index_of(i)], true));
      }
      for (int round = 0; round < 2; ++round) {
        const Clock::time_point begun = Clock::now();
        for (const OperationPtr& operation : all) operation->start();
        // The last one is waited for first.
        for (auto operation = all.rbegin(); operation != all.rend(); ++operation) (*operation)->wait();
        for (int i = 2; i < operations; ++i)
          expect(all[index_of(i - 2)]->times().finished <= all[index_of(i)]->times().finished, "in the order of starts",
                 i);
        const Clock::duration first = all.front()->times().finished - begun,
                              last = all.back()->times().finished - begun;
        expect(first < last / 2, "the first one does not wait for the others");
      }
    }));
  }
}

TEST_CASE("operations in turn and others, of all algorithms, do not disturb each other") {
  constexpr int operations = 12;
  on_all(4, [](Communicator& communicator) {
    const std::vector<collectives::Algorithm> algorithms = communicator.algorithms(graph::Collective::all_reduce);
    std::vector<Elements> values;
    for (int i = 0; i < operations; ++i) values.emplace_back(graph::DType::f32, 1 + 20'000 * (i % 2));
    std::vector<OperationPtr> all;
    for (int i = 0; i < operations; ++i)
      all.push_back(sum(communicator, values[index_of(i)], i % 3 != 0, algorithms[index_of(i) % algorithms.size()]));
    for (int round = 0; round < 5; ++round) {
      for (int i = 0; i < operations; ++i) fill(values[index_of(i)], communicator.rank(), i);
      for (const OperationPtr& operation : all) operation->start();
      for (const OperationPtr& operation : all) operation->wait();
      for (int i = 0; i < operations; ++i) {
        const Elements& sums = values[index_of(i)];
        const std::int64_t last = sums.count() - 1;
        expect(sums.at(last) == reduced(graph::Reduction::sum, first_ranks(communicator.size()), i + last),
               "the sum of operation", i);
      }
    }
  });
}
