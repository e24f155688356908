// Operations of every transport concurrently with each other and with computation, in groups and over throttled links.

#include <sys/resource.h>

#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <tuple>

#include "conformance.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;

TEST_CASE("operations complete while their owners do something else") {
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 4) || !progresses_in_background(transport)) continue;
    REQUIRE_NOTHROW(transport.launch(4, {}, [](Communicator& communicator) {
      Elements elements(graph::DType::f32, 300000);
      const OperationPtr operation = communicator.all_reduce(
          {elements.data(), elements.data(), elements.count(), graph::DType::f32, {}, {}, nullptr, ""});
      run(communicator.barrier());
      operation->start();
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      const Clock::time_point back = Clock::now();
      operation->wait();
      expect(operation->times().finished < back, "finished meanwhile");
    }));
  }
}

TEST_CASE("a rank with no operation in progress is rarely interrupted") {
  const auto switches = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
  };
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 2) || !progresses_in_background(transport)) continue;
    REQUIRE_NOTHROW(transport.launch(2, {}, [&](Communicator& communicator) {
      run(communicator.barrier());
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const long before = switches();
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      expect(switches() - before < 200, "of the 800 looks that a helper takes while something is under way");
    }));
  }
}

TEST_CASE("over a throttled link, no message completes early, and operations progress while the owner computes") {
  constexpr Throttle throttle{2e-3, 1e8};
  constexpr std::int64_t bytes = 500000;
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 2) || !progresses_in_background(transport)) continue;
    REQUIRE_NOTHROW(transport.launch(2, {std::chrono::seconds(30), throttle}, [](Communicator& communicator) {
      const int other = 1 - communicator.rank();
      Elements out(graph::DType::u8, bytes), in(graph::DType::u8, 2 * bytes);
      fill(out, communicator.rank());
      const OperationPtr both = communicator.exchange({{out.data(), bytes, other}, {out.data(), bytes, other}},
                                                      {{in.data(), bytes, other}, {in.data(bytes), bytes, other}}, "");
      run(communicator.barrier());
      const Clock::time_point begun = Clock::now();
      run(both);
      expect(Clock::now() - begun >= std::chrono::milliseconds(12), "two messages one after another, and the latency");
      for (std::int64_t i = 0; i < 2 * bytes; ++i) expect(in.at(i) == sample(other, i % bytes), "what was sent", i);

      run(communicator.barrier());
      both->start();
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      const Clock::time_point back = Clock::now();
      both->wait();
      expect(both->times().finished < back, "finished meanwhile");
    }));
  }
}

TEST_CASE("operations may overlap, be restarted and be waited for in any order") {
  on_all(5, [](Communicator& communicator) {
    constexpr int operations = 6;
    constexpr int rounds = 20;
    const int rank = communicator.rank();
    std::vector<Elements> inputs, outputs;
    std::vector<OperationPtr> prepared;
    for (int k = 0; k < operations; ++k) {
      const std::int64_t count = k % 2 == 0 ? 10 : 20000;
      inputs.emplace_back(graph::DType::f32, count);
      outputs.emplace_back(graph::DType::f32, count);
      fill(inputs.back(), rank, k);
    }
    for (int k = 0; k < operations; ++k) {
      Elements& input = inputs[index_of(k)];
      prepared.push_back(communicator.all_reduce({input.data(),
                                                  outputs[index_of(k)].data(),
                                                  input.count(),
                                                  graph::DType::f32,
                                                  {},
                                                  usual(communicator, graph::Collective::all_reduce),
                                                  nullptr,
                                                  ""}));
    }
    std::mt19937 random(static_cast<unsigned>(rank));
    for (int round = 0; round < rounds; ++round) {
      for (const OperationPtr& operation : prepared) operation->start();
      std::vector<int> order = first_ranks(operations);
      std::shuffle(order.begin(), order.end(), random);
      for (const int k : order) {
        const OperationPtr& operation = prepared[index_of(k)];
        if (k % 3 == 0) {
          while (!operation->complete()) std::this_thread::yield();
        }
        operation->wait();
        if (!communicator.on_stream())
          expect(operation->times().finished >= operation->times().started, "times are in order");
        for (const std::int64_t i : {0, 9}) {
          expect(outputs[index_of(k)].at(i) == reduced({}, first_ranks(communicator.size()), k + i), "sum", i);
        }
      }
    }
  });
}

TEST_CASE("groups split from a world communicate concurrently and share its counters") {
  on_all(8, [](Communicator& world) {
    const int columns = world.size() % 2 == 0 ? 2 : 1;
    std::vector<int> row, column;
    for (int rank = 0; rank < world.size(); ++rank) {
      if (rank / columns == world.rank() / columns) row.push_back(rank);
      if (rank % columns == world.rank() % columns) column.push_back(rank);
    }
    std::reverse(column.begin(), column.end());
    const std::unique_ptr<Communicator> rows = world.split(row);
    const std::unique_ptr<Communicator> columns_group = world.split(column);
    const std::unique_ptr<Communicator> again = world.split(row);
    expect(column[index_of(columns_group->rank())] == world.rank(), "ranks follow the order of the members");

    const std::int64_t count = 3000;
    std::vector<Elements> outputs(4, Elements(graph::DType::i64, count));
    Elements input(graph::DType::i64, count);
    fill(input, world.rank());
    const std::vector<std::pair<Communicator*, std::vector<int>>> groups = {
        {rows.get(), row}, {columns_group.get(), column}, {again.get(), row}, {&world, first_ranks(world.size())}};
    std::vector<OperationPtr> operations;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      operations.push_back(groups[k].first->all_reduce({input.data(),
                                                        outputs[k].data(),
                                                        count,
                                                        graph::DType::i64,
                                                        {},
                                                        usual(world, graph::Collective::all_reduce),
                                                        nullptr,
                                                        ""}));
    }
    for (int round = 0; round < 10; ++round) {
      for (const OperationPtr& operation : operations) operation->start();
      for (std::size_t k = operations.size(); k-- > 0;) {
        operations[k]->wait();
        for (std::int64_t i = 0; i < count; ++i) {
          expect(outputs[k].at(i) == reduced({}, groups[k].second, i), "sum of a group", i);
        }
      }
    }
    expect(rows->sent_bytes() == world.sent_bytes(), "one set of counters");
  });
}

TEST_CASE("all-reduces are bitwise equal on all ranks and in all runs") {
  std::mutex mutex;
  std::map<std::tuple<std::string, int, int>, std::vector<float>> first;  // key: transport, number of ranks, rank
  for (int run_index = 0; run_index < 2; ++run_index) {
    on_all(7, [&](Communicator& communicator) {
      constexpr std::int64_t count = 5003;
      const auto size = std::int64_t{communicator.size()};
      std::mt19937 random(static_cast<unsigned>(communicator.rank()));
      std::normal_distribution<float> normal;
      std::vector<float> input(count), results;
      for (float& value : input) value = normal(random);
      for (const auto algorithm : collectives::algorithms(graph::Collective::all_reduce)) {
        if (!has(communicator, algorithm)) continue;
        std::vector<float> output(count);
        run(communicator.all_reduce(
            {input.data(), output.data(), count, graph::DType::f32, {}, algorithm, nullptr, ""}));
        std::vector<float> all(static_cast<std::size_t>(count * size));
        run(communicator.all_gather(
            {output.data(), all.data(), Counts(static_cast<std::size_t>(size), count), {}, {}, nullptr, ""}));
        for (auto at = all.begin(); at != all.end(); at += count) {
          expect(std::equal(output.begin(), output.end(), at), "the same bits on all ranks");
        }
        results.insert(results.end(), output.begin(), output.end());
      }
      const std::tuple key(communicator.transport(), communicator.size(), communicator.rank());
      const std::lock_guard lock(mutex);
      const auto entry = first.try_emplace(key, results).first;
      expect(entry->second == results, "the same bits in all runs");
    });
  }
}
