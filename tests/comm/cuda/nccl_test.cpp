// Failures over NCCL, tested with a fake of NCCL: deadlines, errors and aborts, and that every NCCL communicator is
// ended exactly once. The conformance suite tests successful operations.

#include <string>
#include <thread>
#include <vector>

#include "../fake_device.h"
#include "../support.h"
#include "base/error.h"
#include "catch.h"
#include "comm/nccl/calls.h"
#include "comm/nccl/communicator.h"
#include "fake_nccl.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;
using Kind = CommunicationError::Kind;

namespace {

struct Caught {
  bool thrown = false;
  Kind kind{};
  int rank = -2;
  std::string operation;
  std::string what;
  bool says(const std::string& text) const { return what.find(text) != std::string::npos; }
};

using Body = std::function<void(Communicator& nccl, void* device)>;

/// Runs `body` on every rank with 4000 bytes of device memory. Returns what the body threw, or the creation of its
/// communicator.
std::vector<Caught> caught_of(int ranks, std::chrono::milliseconds timeout, const Body& body) {
  std::vector<Caught> all(static_cast<std::size_t>(ranks));
  try {
    find_transport("threads").launch(ranks, {std::chrono::seconds(30)}, [&](Communicator& control) {
      Caught& caught = all[static_cast<std::size_t>(control.rank())];
      FakeMemory memory;
      void* device = memory.allocate(4000);
      {
        FakeStream stream;
        try {
          const std::unique_ptr<Communicator> nccl =
              nccl::make(fake_nccl::api(), control, stream.handle(), timeout, "");
          body(*nccl, device);
        } catch (const CommunicationError& error) {
          caught = {true, error.kind(), error.rank(), error.operation(), error.what()};
        }
      }
      memory.release(device);
    });
  } catch (const CommunicationError&) {
    // Thrown by the control world, to which the failure was reported.
  }
  return all;
}

OperationPtr sum(Communicator& nccl, void* device, const std::string& label) {
  return nccl.all_reduce({device, device, 1000, graph::DType::f32, {}, collectives::native(), nullptr, label});
}

bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 20000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return holds();
}

/// Checks that every communicator that was created has been aborted exactly once, and none destroyed.
void check_all_aborted(int made) {
  const fake_nccl::State& state = fake_nccl::state();
  CHECK(eventually([&] { return state.aborted == made; }));
  CHECK(state.made == made);
  CHECK(state.destroyed == 0);
  CHECK(state.wrong_uses == 0);
}

constexpr std::chrono::milliseconds soon{400};
constexpr std::chrono::seconds late{30};

}  // namespace

TEST_CASE("an initialisation that never ends times out and is aborted") {
  fake_nccl::reset();
  fake_nccl::state().init_never_ends = true;
  const auto caught = caught_of(3, soon, [](Communicator&, void*) {});
  int timed_out = 0;
  for (const Caught& one : caught) {
    CHECK(one.thrown);
    CHECK(one.operation == "nccl bootstrap");
    timed_out += one.kind == Kind::timed_out ? 1 : 0;
  }
  CHECK(timed_out >= 1);
  check_all_aborted(fake_nccl::state().made);
}

TEST_CASE("a stuck stream fails its operation on all ranks, and every group is aborted once") {
  for (const bool poll : {false, true}) {
    fake_nccl::reset();
    fake_nccl::state().running_collectives = 0;
    const auto caught = caught_of(4, soon, [&](Communicator& nccl, void* device) {
      const std::unique_ptr<Communicator> pair = nccl.split(nccl.rank() < 2 ? std::vector{1, 0} : std::vector{2, 3});
      const OperationPtr operation = sum(*pair, device, "gradients");
      operation->start();
      try {
        while (poll && !operation->complete()) std::this_thread::yield();
        operation->wait();
      } catch (const CommunicationError& first) {
        for (const auto& again :
             {std::function<void()>([&] { operation->start(); }), std::function<void()>([&] { operation->wait(); }),
              std::function<void()>([&] { nccl.check(); }),
              std::function<void()>([&] { nccl.split({nccl.rank()}); })}) {
          try {
            again();
            expect(false, "every later call throws");
          } catch (const CommunicationError& later) {
            expect(std::string(later.what()) == first.what(), "the first failure");
          }
        }
        throw;
      }
    });
    for (const Caught& one : caught) {
      CHECK(one.thrown);
      CHECK(one.says("gradients"));
      CHECK(one.says("400 ms"));
      CHECK((one.kind == Kind::timed_out || one.kind == Kind::aborted));
    }
    check_all_aborted(8);
  }
}

TEST_CASE("an error that NCCL reports on one rank is passed to all ranks with NCCL's message") {
  for (const ncclResult_t error : {ncclRemoteError, ncclSystemError}) {
    fake_nccl::reset();
    fake_nccl::state().running_collectives = 1;
    const auto caught = caught_of(3, late, [&](Communicator& nccl, void* device) {
      run(nccl.barrier());
      const OperationPtr operation = sum(nccl, device, "gradients");
      operation->start();
      fake_nccl::state().error = error;
      if (nccl.rank() == 1) fake_nccl::state().failing_rank = 1;
      operation->wait();
    });
    for (const Caught& one : caught) {
      CHECK(one.thrown);
      CHECK(one.says("gradients"));
      CHECK(one.says("rank 1: "));
      CHECK(one.says("socket closed"));
    }
    CHECK(caught[1].kind == (error == ncclRemoteError ? Kind::lost_rank : Kind::aborted));
    CHECK(caught[1].rank == (error == ncclRemoteError ? -1 : 1));
    CHECK(caught[0].kind == Kind::aborted);
    CHECK(caught[0].rank == 1);
    check_all_aborted(3);
  }
}

TEST_CASE("a start that NCCL rejects fails the world") {
  fake_nccl::reset();
  const auto caught = caught_of(2, late, [](Communicator& nccl, void* device) {
    run(nccl.barrier());
    if (nccl.rank() == 1) fake_nccl::state().failing_start = 1;
    run(sum(nccl, device, "gradients"));
  });
  for (const Caught& one : caught) CHECK(one.says("rank 1: "));
  check_all_aborted(2);
}

TEST_CASE("abort wakes all ranks with its reason, also from another thread") {
  for (const bool other_thread : {false, true}) {
    fake_nccl::reset();
    fake_nccl::state().running_collectives = 1;
    const auto caught = caught_of(3, late, [&](Communicator& nccl, void* device) {
      const OperationPtr operation = sum(nccl, device, "gradients");
      run(operation);
      if (nccl.rank() != 2) return run(operation);
      if (!other_thread) nccl.abort("the loss is not finite");
      std::jthread aborter([&] {
        if (other_thread) nccl.abort("the loss is not finite");
      });
      run(operation);
    });
    for (const Caught& one : caught) {
      CHECK(one.kind == Kind::aborted);
      CHECK(one.rank == 2);
      CHECK(one.says("the loss is not finite"));
    }
    check_all_aborted(3);
  }
}

TEST_CASE("a waiting rank receives the failure of a rank that fails outside of communication") {
  fake_nccl::reset();
  std::vector<Caught> caught(3);
  try {
    find_transport("threads").launch(3, {late}, [&](Communicator& control) {
      FakeMemory memory;
      void* device = memory.allocate(4000);
      FakeStream stream;
      const std::unique_ptr<Communicator> nccl = nccl::make(fake_nccl::api(), control, stream.handle(), late, "");
      const OperationPtr operation = sum(*nccl, device, "gradients");
      run(operation);
      if (control.rank() == 1) throw std::logic_error("out of cheese");
      try {
        run(operation);
      } catch (const CommunicationError& error) {
        caught[static_cast<std::size_t>(control.rank())] = {true, error.kind(), error.rank(), "", error.what()};
      }
    });
    FAIL("no exception");
  } catch (const std::logic_error&) {
  }
  for (const std::size_t rank : {0, 2}) {
    CHECK(caught[rank].kind == Kind::lost_rank);
    CHECK(caught[rank].rank == 1);
    CHECK(caught[rank].says("out of cheese"));
  }
  check_all_aborted(3);
}

TEST_CASE("an abort that does not return does not block any rank") {
  fake_nccl::reset();
  fake_nccl::state().abort_never_ends = true;
  const auto caught = caught_of(2, soon, [](Communicator& nccl, void*) { nccl.abort("enough"); });
  check_all_aborted(2);
  fake_nccl::state().abort_never_ends = false;
}

TEST_CASE("watch ends when nothing is left, and its timeout restarts with each change") {
  fake_nccl::reset();
  const auto caught = caught_of(1, soon, [](Communicator& nccl, void*) {
    int looks = 0;
    const Clock::time_point begun = Clock::now();
    // Takes longer than the timeout in total, but changes all the time.
    nccl.watch(
        [&] {
          if (Clock::now() - begun > std::chrono::milliseconds(600)) return std::int64_t{0};
          return std::int64_t{1000000 - looks++};
        },
        "step 7");
    nccl.watch([] { return std::int64_t{3}; }, "step 8");
  });
  CHECK(caught[0].kind == Kind::timed_out);
  CHECK(caught[0].operation == "step 8");
  check_all_aborted(1);
}

TEST_CASE("two ranks on one GPU are rejected with a remedy, and ranks on unknown GPUs are accepted") {
  fake_nccl::reset();
  const std::vector<std::string> gpus = {"host GPU-a", "", "host GPU-b", "", "host GPU-a"};
  std::vector<std::string> said(5);
  find_transport("threads").launch(5, {}, [&](Communicator& control) {
    FakeStream stream;
    const auto rank = static_cast<std::size_t>(control.rank());
    try {
      nccl::make(fake_nccl::api(), control, stream.handle(), late, gpus[rank]);
    } catch (const InputError& error) {
      said[rank] = error.what();
    }
  });
  for (const std::string& one : said) {
    CHECK(one.find("ranks 0 and 4 both use GPU host GPU-a") != std::string::npos);
    CHECK(one.find("threads or mpi") != std::string::npos);
  }
  CHECK(fake_nccl::state().made == 0);
}

TEST_CASE("without a GPU, the NCCL state has the reason and the version of NCCL") {
  fake_nccl::reset();
  CHECK(nccl::state_of(fake_nccl::api()).usable);
  fake_nccl::state().no_gpu = true;
  const NcclState state = nccl::state_of(fake_nccl::api());
  CHECK_FALSE(state.usable);
  CHECK(state.loaded == "2.28.9");
  CHECK(state.why_not.find("too old") != std::string::npos);
  find_transport("threads").launch(1, {}, [&](Communicator& control) {
    FakeStream stream;
    try {
      nccl::make(fake_nccl::api(), control, stream.handle(), late, "");
      expect(false, "an InputError");
    } catch (const InputError& error) {
      expect(std::string(error.what()).find("too old") != std::string::npos, "why not");
    }
  });
  // The linked library reports its versions with or without a GPU.
  const NcclState linked = nccl_state();
  CHECK(linked.built.rfind("2.", 0) == 0);
  CHECK(linked.loaded.rfind("2.", 0) == 0);
  CHECK(linked.usable == linked.why_not.empty());
}

TEST_CASE("an operation on a stream rejects times, a wait before its start and other algorithms") {
  fake_nccl::reset();
  const auto caught = caught_of(1, late, [](Communicator& nccl, void* device) {
    expect(nccl.on_stream() && nccl.transport() == "nccl", "what it is");
    const OperationPtr operation = sum(nccl, device, "");
    try {
      operation->wait();
      expect(false, "a ContractError before its start");
    } catch (const ContractError&) {
    }
    run(operation);
    try {
      operation->times();
      expect(false, "a ContractError about times");
    } catch (const ContractError&) {
    }
    try {
      nccl.all_reduce({device, device, 1, graph::DType::f32, {}, collectives::Algorithm(), nullptr, ""});
      expect(false, "an InputError about the ring");
    } catch (const InputError&) {
    }
  });
  CHECK_FALSE(caught[0].thrown);
  CHECK(fake_nccl::state().destroyed == 1);
}

TEST_CASE("parts of equal size become one NCCL call, uneven parts one call for each nonempty part") {
  std::byte memory[400];
  const auto scatter = [&](std::vector<std::int64_t> counts) {
    return nccl::reduce_scatter_calls({memory, memory, std::move(counts), {}, {}, nullptr, ""}, 0);
  };
  const auto gather = [&](std::vector<std::int64_t> counts) {
    return nccl::all_gather_calls({memory, memory, std::move(counts), {}, {}, nullptr, ""}, 0);
  };
  using Made = nccl::Call::Kind;
  CHECK(scatter({5, 5, 5}).size() == 1);
  CHECK(scatter({5, 5, 5})[0].kind == Made::reduce_scatter);
  CHECK(gather({5, 5, 5})[0].kind == Made::all_gather);
  CHECK(scatter({0, 0}).empty());
  CHECK(gather({0, 0}).empty());
  const std::vector<nccl::Call> uneven = scatter({5, 0, 7});
  REQUIRE(uneven.size() == 2);
  CHECK(uneven[1].kind == Made::reduce);
  CHECK(uneven[1].peer == 2);
  CHECK(uneven[1].count == 7);
  CHECK(uneven[1].input == memory + 20);
  CHECK(uneven[1].output == nullptr);
  CHECK(gather({5, 0, 7})[1].kind == Made::broadcast);
}
