#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "catch.h"
#include "graph/error.h"
#include "support.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;
using Kind = CommunicationError::Kind;

namespace {

struct Caught {
  Kind kind{};
  int rank = -2;
  std::string operation;
  std::string what;
};

/// What each rank's `body` throws; a rank that throws nothing has rank −2.
std::vector<Caught> failures(const Transport& transport, int ranks, const WorldOptions& options,
                             const std::function<void(Communicator&)>& body) {
  std::vector<Caught> caught(static_cast<std::size_t>(ranks));
  transport.launch(ranks, options, [&](Communicator& communicator) {
    try {
      body(communicator);
    } catch (const CommunicationError& error) {
      caught[static_cast<std::size_t>(communicator.rank())] = {error.kind(), error.rank(), error.operation(),
                                                               error.what()};
    }
  });
  return caught;
}

OperationPtr sum(Communicator& communicator, Elements& elements, const std::string& label) {
  return communicator.all_reduce(
      {elements.data(), elements.data(), elements.count(), elements.dtype(), {}, {}, nullptr, label});
}

}  // namespace

TEST_CASE("a rank that never comes is named by every rank that waits") {
  for (const Transport& transport : transports()) {
    for (const int missing : {0, 2, 3}) {
      const auto caught = failures(transport, 4, {std::chrono::milliseconds(100)}, [&](Communicator& communicator) {
        Elements elements(graph::DType::f32, 100);
        const OperationPtr operation = sum(communicator, elements, "gradients");
        if (communicator.rank() != missing) run(operation);
      });
      for (int rank = 0; rank < 4; ++rank) {
        if (rank == missing) continue;
        const Caught& one = caught[static_cast<std::size_t>(rank)];
        CHECK(one.kind == Kind::timed_out);
        CHECK(one.rank == missing);
        CHECK(one.operation == "gradients");
        CHECK(one.what.find("gradients") != std::string::npos);
      }
    }
  }
}

TEST_CASE("an expected message that nobody sends times out, polled or waited for, by its world rank") {
  for (const Transport& transport : transports()) {
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
      CHECK(caught[1].kind == Kind::timed_out);
      CHECK(caught[1].rank == 2);
      CHECK(caught[1].operation == "activation");
    }
  }
}

TEST_CASE("byte counts that differ are an error on both ends") {
  for (const Transport& transport : transports()) {
    const auto caught = failures(transport, 2, {std::chrono::seconds(20)}, [](Communicator& communicator) {
      Elements elements(graph::DType::f32, 10);
      const int other = 1 - communicator.rank();
      if (communicator.rank() == 0) run(communicator.exchange({{elements.data(), 40, other}}, {}, "activation"));
      if (communicator.rank() == 1) run(communicator.exchange({}, {{elements.data(), 36, other}}, "activation"));
    });
    for (const Caught& one : caught) {
      CHECK(one.kind == Kind::mismatch);
      CHECK(one.rank == 0);
      CHECK(one.what.find("40") != std::string::npos);
      CHECK(one.what.find("36") != std::string::npos);
    }
    const auto sums = failures(transport, 4, {std::chrono::seconds(20)}, [](Communicator& communicator) {
      Elements elements(graph::DType::f32, communicator.rank() == 2 ? 3 : 0);
      run(sum(communicator, elements, "gradients"));
    });
    for (const Caught& one : sums) CHECK(one.kind == Kind::mismatch);
  }
}

TEST_CASE("abort wakes everybody, and everything later throws as well") {
  for (const Transport& transport : transports()) {
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
      CHECK(one.kind == Kind::aborted);
      CHECK(one.rank == 1);
      CHECK(one.what.find("the loss is not finite") != std::string::npos);
    }
  }
}

TEST_CASE("the exception of the rank that fails first is rethrown, after all have ended") {
  for (const Transport& transport : transports()) {
    std::atomic<int> lost{0}, ended{0};
    std::string what;
    try {
      transport.launch(4, {std::chrono::seconds(60)}, [&](Communicator& communicator) {
        Elements elements(graph::DType::f32, 100000);
        const OperationPtr operation = sum(communicator, elements, "gradients");
        if (communicator.rank() == 2) throw std::logic_error("out of cheese");
        try {
          run(operation);
        } catch (const CommunicationError& error) {
          if (error.kind() == Kind::lost_rank && error.rank() == 2) ++lost;
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
          ++ended;
          throw;
        }
      });
    } catch (const std::logic_error& error) {
      what = error.what();
    }
    CHECK(what == "out of cheese");
    CHECK(lost == 3);
    CHECK(ended == 3);
  }
}

TEST_CASE("operations that are not complete can be destroyed, even while peers are at them") {
  for (const Transport& transport : transports()) {
    for (int round = 0; round < 20; ++round) {
      const auto caught = failures(transport, 3, {std::chrono::milliseconds(30)}, [&](Communicator& communicator) {
        Elements elements(graph::DType::f32, 200000);
        const OperationPtr operation = sum(communicator, elements, "gradients");
        operation->start();
        if (communicator.rank() == round % 3) return;
        operation->wait();
      });
      for (const Caught& one : caught) CHECK((one.rank == -2 || one.kind == Kind::timed_out));
    }
  }
}

TEST_CASE("misuse is a defect that is told") {
  for (const Transport& transport : transports()) {
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

TEST_CASE("a transport that this build lacks is refused with those it has") {
  try {
    find_transport("pigeon");
    FAIL("no exception");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("threads") != std::string::npos);
  }
  CHECK(find_transport("threads").name == "threads");
}
