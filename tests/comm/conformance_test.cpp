// Requirements on all transports, tested with every transport of this build.

#include <thread>

#include "collectives/tree.h"
#include "conformance.h"
#include "skip.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;

namespace {

void check_all_reduce(Communicator& communicator, Reduce call, bool in_place) {
  const int rank = communicator.rank();
  const int size = communicator.size();
  Elements input(call.dtype, call.count), output(call.dtype, call.count);
  fill(input, rank);
  call.input = input.data();
  call.output = in_place ? input.data() : output.data();
  const std::int64_t sent_before = sent(communicator, "all_reduce");
  run(communicator.all_reduce(call));
  const Elements& result = in_place ? input : output;
  for (std::int64_t i = 0; i < call.count; ++i) {
    expect(result.at(i) == reduced(call.reduction, first_ranks(size), i), "all_reduce", i);
    if (!in_place) expect(input.at(i) == sample(rank, i), "all_reduce leaves its input", i);
  }
  // The bytes of native algorithms are counted nominally: as the ring would send them.
  const collectives::EmitSteps steps = call.algorithm.steps(graph::Collective::all_reduce);
  const std::int64_t elements = collectives::sent_elements([&](const collectives::Emit& emit) {
    steps({size, call.count}, rank, emit);
  });
  expect(sent(communicator, "all_reduce") - sent_before == elements * element_bytes(call.dtype), "bytes sent");
}

/// Returns every available algorithm, out of place and in place.
std::vector<std::pair<collectives::Algorithm, bool>> ways(const Communicator& communicator, graph::Collective kind) {
  std::vector<std::pair<collectives::Algorithm, bool>> all;
  for (const auto algorithm : communicator.algorithms(kind)) {
    all.emplace_back(algorithm, false);
    all.emplace_back(algorithm, true);
  }
  return all;
}

}  // namespace

TEST_CASE("all_reduce returns the reduction on every rank, for every type, in place or not") {
  on_all(8, [](Communicator& communicator) {
    for (const graph::DType dtype : every_dtype) {
      for (const std::int64_t count : {0, 1, 2, 3, 7, 8, 1000}) {
        for (const auto reduction : {graph::Reduction::sum, graph::Reduction::max}) {
          for (const auto algorithm : communicator.algorithms(graph::Collective::all_reduce)) {
            const bool in_place = (count + static_cast<int>(dtype)) % 2 == 0;
            check_all_reduce(communicator, {nullptr, nullptr, count, dtype, reduction, algorithm, nullptr, ""},
                             in_place);
          }
        }
      }
    }
  });
}

TEST_CASE("all_reduce returns the reduction on 9 and 16 ranks") {
  for (const Transport& transport : startable_transports()) {
    for (const int ranks : {9, 16}) {
      if (ranks > most_ranks(transport) || !can_start(transport, ranks)) continue;
      INFO(transport.name << ", " << ranks << " ranks");
      REQUIRE_NOTHROW(transport.launch(ranks, {std::chrono::seconds(30)}, [](Communicator& communicator) {
        for (const std::int64_t count : {0, 1, 5, 1000}) {
          for (const auto algorithm : communicator.algorithms(graph::Collective::all_reduce)) {
            check_all_reduce(communicator, {nullptr, nullptr, count, {}, {}, algorithm, nullptr, ""}, count % 2 == 0);
          }
        }
      }));
    }
  }
}

TEST_CASE("all_reduce returns the reduction of large tensors") {
  on_all(8, [](Communicator& communicator) {
    for (const auto algorithm : communicator.algorithms(graph::Collective::all_reduce)) {
      for (const bool in_place : {false, true}) {
        const auto dtype = in_place ? graph::DType::bf16 : graph::DType::f32;
        check_all_reduce(communicator, {nullptr, nullptr, (1 << 16) + 1, dtype, {}, algorithm, nullptr, ""}, in_place);
      }
    }
    if (communicator.size() == 3)
      check_all_reduce(
          communicator,
          {nullptr, nullptr, 1 << 20, {}, {}, usual(communicator, graph::Collective::all_reduce), nullptr, ""}, true);
  });
}

TEST_CASE("reduce_scatter returns its part on each rank, of any size, in place or not") {
  on_all(8, [](Communicator& communicator) {
    const int rank = communicator.rank();
    const std::vector<int> everyone = first_ranks(communicator.size());
    for (const graph::DType dtype : every_dtype) {
      for (const Counts& counts : count_lists(communicator.size())) {
        for (const auto& [algorithm, in_place] : ways(communicator, graph::Collective::reduce_scatter)) {
          const std::int64_t own = counts[index_of(rank)];
          Elements whole(dtype, total(counts)), part(dtype, own);
          fill(whole, rank);
          void* output = in_place ? whole.data(before(counts, rank)) : part.data();
          const std::int64_t sent_before = sent(communicator, "reduce_scatter");
          run(communicator.reduce_scatter({whole.data(), output, counts, dtype, {}, nullptr, "", algorithm}));
          for (std::int64_t i = 0; i < own; ++i) {
            const double value = in_place ? whole.at(before(counts, rank) + i) : part.at(i);
            expect(value == reduced({}, everyone, before(counts, rank) + i), "reduce_scatter", i);
          }
          const std::int64_t expected = communicator.size() == 1 ? 0 : total(counts) - own;
          expect(sent(communicator, "reduce_scatter") - sent_before == expected * element_bytes(dtype), "bytes sent");
        }
      }
    }
  });
}

TEST_CASE("all_gather returns all parts on every rank, of any size, in place or not") {
  on_all(8, [](Communicator& communicator) {
    const int rank = communicator.rank();
    for (const graph::DType dtype : every_dtype) {
      for (const Counts& counts : count_lists(communicator.size())) {
        for (const auto& [algorithm, in_place] : ways(communicator, graph::Collective::all_gather)) {
          Elements part(dtype, counts[index_of(rank)]), whole(dtype, total(counts));
          fill(part, rank);
          for (std::int64_t i = 0; i < part.count(); ++i) whole.set(before(counts, rank) + i, sample(rank, i));
          const void* input = in_place ? whole.data(before(counts, rank)) : part.data();
          const std::int64_t sent_before = sent(communicator, "all_gather");
          run(communicator.all_gather({input, whole.data(), counts, dtype, {}, nullptr, "", algorithm}));
          for (int member = 0; member < communicator.size(); ++member) {
            for (std::int64_t i = 0; i < counts[index_of(member)]; ++i) {
              expect(whole.at(before(counts, member) + i) == sample(member, i), "all_gather", i);
            }
          }
          const std::int64_t next = counts[index_of((rank + 1) % communicator.size())];
          const std::int64_t expected = communicator.size() == 1 ? 0 : total(counts) - next;
          expect(sent(communicator, "all_gather") - sent_before == expected * element_bytes(dtype), "bytes sent");
        }
      }
    }
  });
}

TEST_CASE("all_to_all transposes parts of uneven size") {
  on_all(8, [](Communicator& communicator) {
    const int rank = communicator.rank();
    const auto part = [](int from, int to) { return std::int64_t{(5 * from + 2 * to) % 7 * 20}; };
    for (const graph::DType dtype : every_dtype) {
      Counts sends, receives;
      for (int other = 0; other < communicator.size(); ++other) {
        sends.push_back(part(rank, other));
        receives.push_back(part(other, rank));
      }
      Elements input(dtype, total(sends)), output(dtype, total(receives));
      fill(input, rank);
      run(communicator.all_to_all({input.data(), output.data(), sends, receives, dtype, ""}));
      for (int from = 0; from < communicator.size(); ++from) {
        std::int64_t first = 0;
        for (int to = 0; to < rank; ++to) first += part(from, to);
        for (std::int64_t i = 0; i < receives[index_of(from)]; ++i) {
          expect(output.at(before(receives, from) + i) == sample(from, first + i), "all_to_all", i);
        }
      }
      const std::int64_t bytes = (total(sends) - sends[index_of(rank)]) * element_bytes(dtype);
      expect(sent(communicator, "all_to_all") >= bytes, "bytes sent");
    }
  });
}

TEST_CASE("broadcast reaches every rank from any root") {
  on_all(8, [](Communicator& communicator) {
    std::int64_t expected = 0;
    for (int root = 0; root < communicator.size(); ++root) {
      for (const std::int64_t count : {0, 1, 1000, (1 << 16) + 1}) {
        Elements data(graph::DType::f32, count);
        if (communicator.rank() == root) fill(data, root);
        run(communicator.broadcast({data.data(), count, graph::DType::f32, root, ""}));
        for (std::int64_t i = 0; i < count; ++i) expect(data.at(i) == sample(root, i), "broadcast", i);
        expected += 4 * collectives::sent_elements([&](const collectives::Emit& emit) {
                      collectives::binomial_broadcast(communicator.rank(), communicator.size(), count, root, emit);
                    });
      }
    }
    expect(sent(communicator, "broadcast") == expected, "bytes sent");
  });
}

TEST_CASE("exchange matches messages in order, in both directions, including empty ones and those to the rank itself") {
  on_all(8, [](Communicator& communicator) {
    const int size = communicator.size();
    const int rank = communicator.rank();
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    for (const std::int64_t count : {0, 1, 1000, 1 << 16}) {
      Elements one(graph::DType::i32, count), two(graph::DType::i32, count);
      Elements from_previous(graph::DType::i32, count), from_next(graph::DType::i32, count);
      fill(one, rank);
      fill(two, rank + 100);
      const OperationPtr exchange =
          communicator.exchange({{one.data(), 4 * count, next}, {two.data(), 4 * count, previous}},
                                {{from_previous.data(), 4 * count, previous}, {from_next.data(), 4 * count, next}}, "");
      run(exchange);
      for (std::int64_t i = 0; i < count; ++i) {
        // With two ranks, both neighbours are the same rank, whose two messages arrive in the order of their posts.
        expect(from_previous.at(i) == sample(previous, i), "first message", i);
        expect(from_next.at(i) == sample(next + 100, i), "second message", i);
      }
    }
    expect(sent(communicator, "send") == 8 * (1 + 1000 + (1 << 16)), "bytes sent");
  });
}

TEST_CASE("no rank leaves a barrier before all ranks have entered it, and a barrier sends no bytes") {
  on_all(8, [](Communicator& communicator) {
    const OperationPtr barrier = communicator.barrier();
    constexpr int rounds = 10;
    std::vector<std::int64_t> came, left;
    const auto now = [] { return std::int64_t{Clock::now().time_since_epoch().count()}; };
    for (int round = 0; round < rounds; ++round) {
      if (round % communicator.size() == communicator.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      came.push_back(now());
      run(barrier);
      left.push_back(now());
    }
    expect(communicator.sent_bytes().empty(), "a barrier has no bytes");
    // Processes on one machine share the clock.
    run(communicator.all_reduce({came.data(), came.data(), rounds, graph::DType::i64, graph::Reduction::max,
                                 usual(communicator, graph::Collective::all_reduce), nullptr, ""}));
    for (int round = 0; round < rounds; ++round) {
      expect(left[index_of(round)] >= came[index_of(round)], "all have come", round);
    }
  });
}

TEST_CASE("operations stay within a workspace of exactly workspace_bytes") {
  on_all(6, [](Communicator& communicator) {
    if (!has(communicator, collectives::Algorithm())) return test::skip("no algorithm of collectives/ is here");
    const int rank = communicator.rank();
    for (const Counts& counts : count_lists(communicator.size())) {
      const std::int64_t count = total(counts);
      const auto bytes = [&](graph::Collective kind, collectives::Algorithm algorithm) {
        return static_cast<std::size_t>(communicator.workspace_bytes(kind, algorithm, count, graph::DType::f32));
      };
      Elements whole(graph::DType::f32, count), part(graph::DType::f32, counts[index_of(rank)]);
      fill(whole, rank);
      constexpr std::size_t guard = 16;
      constexpr std::byte mark{0xa5};
      std::vector<std::byte> scratch(bytes(graph::Collective::reduce_scatter, collectives::Algorithm()) + guard, mark);
      run(communicator.reduce_scatter({whole.data(), part.data(), counts, graph::DType::f32, {}, scratch.data(), ""}));
      expect(std::all_of(scratch.end() - guard, scratch.end(), [](std::byte b) { return b == mark; }), "guard");

      for (const auto algorithm : collectives::algorithms(graph::Collective::all_reduce)) {
        fill(whole, rank);
        scratch.assign(bytes(graph::Collective::all_reduce, algorithm) + guard, mark);
        run(communicator.all_reduce(
            {whole.data(), whole.data(), count, graph::DType::f32, {}, algorithm, scratch.data(), ""}));
        expect(std::all_of(scratch.end() - guard, scratch.end(), [](std::byte b) { return b == mark; }), "guard");
        for (std::int64_t i = 0; i < part.count(); ++i) {
          expect(part.at(i) == whole.at(before(counts, rank) + i), "both sums agree", i);
        }
      }
    }
  });
}
