#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "base/error.h"
#include "catch.h"
#include "support.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;
using FailureKind = CommunicationError::Kind;

namespace {

struct Caught {
  FailureKind kind{};
  int rank = -2;
  char operation[32] = {};
  char what[256] = {};
};

Caught caught_of(const CommunicationError& error) {
  Caught caught{error.kind(), error.rank(), {}, {}};
  error.operation().copy(caught.operation, sizeof caught.operation - 1);
  std::string(error.what()).copy(caught.what, sizeof caught.what - 1);
  return caught;
}

bool says(const Caught& caught, const std::string& text) {
  return std::string(caught.what).find(text) != std::string::npos;
}

/// Returns what each rank's `body` throws, or else its launch: a process may notice only at the end that a message that
/// it sent had the wrong size. The rank is −2 if nothing was thrown.
std::vector<Caught> failures(const Transport& transport, int ranks, const WorldOptions& options,
                             const std::function<void(Communicator&)>& body) {
  std::vector<Caught> caught(static_cast<std::size_t>(ranks));
  int own = 0;
  const auto note = [&](int rank, const CommunicationError& error) {
    Caught& place = caught[static_cast<std::size_t>(rank)];
    if (place.rank == -2) place = caught_of(error);
  };
  try {
    transport.launch(ranks, options, [&](Communicator& communicator) {
      if (transport.processes) own = communicator.rank();
      try {
        body(communicator);
      } catch (const CommunicationError& error) {
        note(communicator.rank(), error);
      }
    });
  } catch (const CommunicationError& error) {
    note(own, error);
  }
  return from_every_rank(transport, caught);
}

OperationPtr sum(Communicator& communicator, Elements& elements, const std::string& label) {
  return communicator.all_reduce(
      {elements.data(), elements.data(), elements.count(), elements.dtype(), {}, {}, nullptr, label});
}

}  // namespace

TEST_CASE("a rank that never starts the operation is named by every waiting rank") {
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 4)) continue;
    for (const int missing : {0, 2, 3}) {
      const auto caught = failures(transport, 4, {std::chrono::milliseconds(100)}, [&](Communicator& communicator) {
        Elements elements(graph::DType::f32, 100);
        const OperationPtr operation = sum(communicator, elements, "gradients");
        if (communicator.rank() != missing) run(operation);
      });
      for (int rank = 0; rank < 4; ++rank) {
        if (rank == missing) continue;
        const Caught& one = caught[static_cast<std::size_t>(rank)];
        CHECK(one.kind == FailureKind::timed_out);
        CHECK(one.rank == missing);
        CHECK(std::string(one.operation) == "gradients");
        CHECK(says(one, "gradients"));
      }
    }
  }
}

TEST_CASE("an operation that waits for its turn names the rank and the operation for which the first one waits") {
  constexpr int missing = 1;
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 3)) continue;
    const auto caught = failures(transport, 3, {std::chrono::milliseconds(100)}, [](Communicator& communicator) {
      std::vector<Elements> elements(4, Elements(graph::DType::f32, 10));
      std::vector<OperationPtr> all;
      for (Elements& one : elements) {
        const std::string label = "slice " + std::to_string(all.size());
        Reduce call{one.data(), one.data(), one.count(), one.dtype(), {}, {}, nullptr, label};
        call.in_turn = true;
        all.push_back(communicator.all_reduce(call));
      }
      if (communicator.rank() == missing) return;
      for (const OperationPtr& operation : all) operation->start();
      all.back()->wait();
    });
    for (const int rank : {0, 2}) {
      const Caught& one = caught[static_cast<std::size_t>(rank)];
      CHECK(one.kind == FailureKind::timed_out);
      CHECK(one.rank == missing);
      CHECK(std::string(one.operation) == "slice 0");
    }
  }
}

TEST_CASE("a link that stalls for ever is named by every rank, by its own, too") {
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 4)) continue;
    WorldOptions options{std::chrono::milliseconds(200)};
    options.throttle.stall = {2, 0, 100, 0};
    const auto caught = failures(transport, 4, options, [&](Communicator& communicator) {
      Elements elements(graph::DType::f32, 100);
      const OperationPtr operation = sum(communicator, elements, "gradients");
      for (int step = 0; step < 10; ++step) run(operation);
    });
    for (const Caught& one : caught) {
      CHECK(one.kind == FailureKind::timed_out);
      CHECK(one.rank == 2);
      CHECK(says(one, "gradients"));
    }
  }
}

TEST_CASE("a message that is never sent times out, in polls and waits, and names the sender's world rank") {
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 3)) continue;
    for (const bool poll : {false, true}) {
      const auto caught = failures(transport, 3, {std::chrono::milliseconds(50)}, [&](Communicator& world) {
        if (world.rank() == 0) return;
        const std::unique_ptr<Communicator> pair = world.split({2, 1});
        Elements elements(graph::DType::f32, 10);
        if (world.rank() == 2) return;
        const OperationPtr receive = pair->exchange({}, {{elements.data(), 40, 0}}, "activation");
        receive->start();
        while (poll && !receive->complete()) std::this_thread::yield();
        receive->wait();
      });
      CHECK(caught[1].kind == FailureKind::timed_out);
      CHECK(caught[1].rank == 2);
      CHECK(std::string(caught[1].operation) == "activation");
    }
  }
}

TEST_CASE("different byte counts are an error on both ends") {
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 2)) continue;
    // The third pair and the fourth have several pieces at one end, if the transport splits messages. In the last two
    // pairs, the ends differ by one piece.
    constexpr std::pair<std::int64_t, std::int64_t> pairs[] = {{40, 36},       {36, 40},           {3 << 20, 100},
                                                               {100, 3 << 20}, {1 << 20, 3 << 19}, {3 << 19, 1 << 20}};
    for (const auto& [sent, expected] : pairs) {
      const std::int64_t bytes[] = {sent, expected};
      const auto caught = failures(transport, 2, {std::chrono::seconds(20)}, [&](Communicator& communicator) {
        Elements elements(graph::DType::u8, bytes[communicator.rank()]);
        if (communicator.rank() == 0) run(communicator.exchange({{elements.data(), sent, 1}}, {}, "activation"));
        if (communicator.rank() == 1) run(communicator.exchange({}, {{elements.data(), expected, 0}}, "activation"));
        run(communicator.barrier());
      });
      for (const Caught& one : caught) {
        CHECK(one.kind == FailureKind::mismatch);
        CHECK(one.rank == 0);
        CHECK(says(one, "sends " + std::to_string(sent)));
        CHECK(says(one, "expects " + std::to_string(expected)));
      }
    }
  }
}

TEST_CASE("all-reduces of different lengths are an error on all ranks") {
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 4)) continue;
    const auto sums = failures(transport, 4, {std::chrono::seconds(20)}, [](Communicator& communicator) {
      Elements elements(graph::DType::f32, communicator.rank() == 2 ? 3 : 0);
      run(sum(communicator, elements, "gradients"));
    });
    for (const Caught& one : sums) CHECK(one.kind == FailureKind::mismatch);
  }
}

TEST_CASE("abort wakes all ranks, and all later operations throw") {
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 4)) continue;
    const auto caught = failures(transport, 4, {std::chrono::seconds(60)}, [](Communicator& communicator) {
      Elements elements(graph::DType::f32, 1000);
      const OperationPtr operation = sum(communicator, elements, "gradients");
      if (communicator.rank() == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        communicator.abort("the loss is not finite");
        run(communicator.barrier());
      }
      run(operation);
    });
    for (const Caught& one : caught) {
      CHECK(one.kind == FailureKind::aborted);
      CHECK(one.rank == 1);
      CHECK(says(one, "the loss is not finite"));
    }
  }
}

TEST_CASE("the exception of the first rank to fail is rethrown after all ranks have ended") {
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 4)) continue;
    struct Seen {
      bool lost = false;   ///< received the failure of the lost rank
      bool ended = false;  ///< ended after that
      bool thrown = false;
    };
    std::vector<Seen> seen(4);
    int own = 0;
    try {
      transport.launch(4, {std::chrono::seconds(60)}, [&](Communicator& communicator) {
        const int rank = communicator.rank();
        if (transport.processes) own = rank;
        Elements elements(graph::DType::f32, 100000);
        const OperationPtr operation = sum(communicator, elements, "gradients");
        if (rank == 2) throw std::logic_error("out of cheese");
        Seen& mine = seen[static_cast<std::size_t>(rank)];
        try {
          run(operation);
        } catch (const CommunicationError& error) {
          mine.lost = error.kind() == FailureKind::lost_rank && error.rank() == 2;
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
          mine.ended = true;
          throw;
        }
      });
    } catch (const std::logic_error& error) {
      seen[2].thrown = std::string(error.what()) == "out of cheese";
      CHECK((!transport.processes || own == 2));
    } catch (const CommunicationError& error) {
      CHECK(transport.processes);
      CHECK(std::string(error.what()).find("out of cheese") != std::string::npos);
    }
    seen = from_every_rank(transport, seen);
    CHECK(seen[2].thrown);
    for (const std::size_t rank : {0, 1, 3}) {
      CHECK(seen[rank].lost);
      CHECK(seen[rank].ended);
    }
  }
}

TEST_CASE("incomplete operations can be destroyed, even while peers transfer their data") {
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 3)) continue;
    const int rounds = transport.processes ? 6 : 20;  // with processes, each round takes a tenth of a second
    for (int round = 0; round < rounds; ++round) {
      const auto caught = failures(transport, 3, {std::chrono::milliseconds(30)}, [&](Communicator& communicator) {
        Elements elements(graph::DType::f32, 200000);
        const OperationPtr operation = sum(communicator, elements, "gradients");
        operation->start();
        if (communicator.rank() == round % 3) return;
        operation->wait();
      });
      for (const Caught& one : caught) CHECK((one.rank == -2 || one.kind == FailureKind::timed_out));
    }
  }
}

TEST_CASE("misuse throws a ContractError") {
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 1)) continue;
    transport.launch(1, {}, [](Communicator& communicator) {
      const auto refused = [](const std::function<void()>& call) {
        try {
          call();
        } catch (const ContractError&) {
          return;
        }
        expect(false, "a ContractError");
      };
      refused([&] { communicator.barrier()->wait(); });
      refused([&] { communicator.broadcast({nullptr, 0, graph::DType::f32, 1, ""}); });
      refused([&] { communicator.all_gather({nullptr, nullptr, {1, 2}, graph::DType::f32, {}, nullptr, ""}); });
      refused([&] { communicator.split({0, 0}); });
      refused([&] { communicator.split({}); });
    });
    CHECK_THROWS_AS(transport.launch(0, {}, [](Communicator&) {}), InputError);
  }
}

TEST_CASE("an unknown transport is rejected with a list of the available ones") {
  try {
    find_transport("pigeon");
    FAIL("no exception");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("threads") != std::string::npos);
  }
  CHECK(find_transport("threads").name == "threads");
}

TEST_CASE("a wait for a rank's own device times out, but not while things are finished") {
  for (const Transport& transport : startable_transports()) {
    if (!can_start(transport, 2)) continue;
    INFO(transport.name);
    const std::chrono::milliseconds timeout(200);
    const auto caught = failures(transport, 2, {timeout}, [&](Communicator& communicator) {
      while (communicator.rank() == 1) {
        communicator.check();
        std::this_thread::yield();
      }
      const Clock::time_point begun = Clock::now();
      std::int64_t looks = 1000000000;
      communicator.watch([&] { return Clock::now() - begun > 2 * timeout ? 0 : looks--; }, "step 7");
      communicator.watch([] { return std::int64_t{3}; }, "step 8");
    });
    CHECK(caught[0].kind == FailureKind::timed_out);
    CHECK(caught[0].rank == 0);
    CHECK(std::string(caught[0].operation) == "step 8");
    CHECK(says(caught[0], "rank 0 waited 200 ms for its own device"));
    CHECK(caught[1].kind == FailureKind::aborted);
    CHECK(says(caught[1], "step 8"));
  }
}
