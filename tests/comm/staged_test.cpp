// What staging adds to a communicator. The conformance suite shows that it is a communicator.

#include "comm/staged/staged.h"
#include "base/error.h"
#include "catch.h"
#include "fake_device.h"
#include "support.h"

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;

namespace {

constexpr std::size_t bytes = 4000;

/// Copies whose completion the test controls.
class GatedCopy final : public HostCopy {
 public:
  bool out_may_end = true;
  int begun_out = 0;
  int begun_in = 0;

  void* allocate_host(std::size_t size) override { return copy_.allocate_host(size); }
  void release_host(void* memory) noexcept override { copy_.release_host(memory); }
  Event make_event() override { return copy_.make_event(); }
  void begin_out(void* host, const void* device, std::size_t size) override {
    ++begun_out;
    copy_.begin_out(host, device, size);
  }
  void begin_in(void* device, const void* host, std::size_t size) override {
    ++begun_in;
    copy_.begin_in(device, host, size);
  }
  void record_out(Event event) override {
    last_out_ = event;
    copy_.record_out(event);
  }
  void record_in(Event event) override { copy_.record_in(event); }
  bool complete(Event event) override { return (out_may_end || event != last_out_) && copy_.complete(event); }
  void synchronize(Event event) noexcept override { copy_.synchronize(event); }
  void release_event(Event event) noexcept override { copy_.release_event(event); }
  std::size_t held() const { return copy_.held(); }

 private:
  DelayedCopy copy_{0};
  Event last_out_ = -1;
};

OperationPtr sum_on_device(Communicator& communicator, void* device, const std::string& label) {
  return communicator.all_reduce({device, device, bytes / 4, graph::DType::i32, {}, {}, nullptr, label});
}

void put_on_device(FakeMemory& memory, void* device, std::int32_t value) {
  const std::vector<std::int32_t> values(bytes / 4, value);
  memory.copy_in(device, values.data(), bytes);
}

bool all_are(FakeMemory& memory, void* device, std::int32_t value) {
  std::vector<std::int32_t> values(bytes / 4);
  memory.copy_out(values.data(), device, bytes);
  return values == std::vector<std::int32_t>(bytes / 4, value);
}

}  // namespace

TEST_CASE("a staged receive does not write its buffer before the event in the outgoing queue is complete") {
  find_transport("threads").launch(2, {}, [](Communicator& host) {
    GatedCopy copy;
    FakeMemory memory;
    void* device = memory.allocate(bytes);
    put_on_device(memory, device, host.rank());
    {
      const std::unique_ptr<Communicator> staged = make_staged(host, copy);
      if (host.rank() == 0) {
        run(staged->exchange({{device, bytes, 1}}, {}, ""));
      } else {
        copy.out_may_end = false;
        const OperationPtr receive = staged->exchange({}, {{device, bytes, 0}}, "");
        receive->start();
        for (int i = 0; i < 1000; ++i) expect(!receive->complete() && copy.begun_in == 0, "not its own yet");
        expect(all_are(memory, device, 1), "nothing came");
        copy.out_may_end = true;
        receive->wait();
        expect(copy.begun_out == 0 && copy.begun_in == 1, "one copy in");
        expect(all_are(memory, device, 0), "what was sent");
      }
    }
    expect(copy.held() == 0, "memory and tickets are given back");
    memory.release(device);
  });
}

TEST_CASE("operations of several groups begin on the host in the order of their starts, whatever the order of waits") {
  find_transport("threads").launch(4, {std::chrono::seconds(20)}, [](Communicator& host) {
    DelayedCopy copy(host.rank());
    FakeMemory memory;
    void* one = memory.allocate(bytes);
    void* two = memory.allocate(bytes);
    {
      const std::unique_ptr<Communicator> world = make_staged(host, copy);
      const std::unique_ptr<Communicator> pair =
          world->split(host.rank() % 2 == 0 ? std::vector{0, 2} : std::vector{1, 3});
      const OperationPtr first = sum_on_device(*world, one, "first");
      const OperationPtr second = sum_on_device(*pair, two, "second");
      for (int round = 0; round < 20; ++round) {
        put_on_device(memory, one, 1);
        put_on_device(memory, two, host.rank());
        first->start();
        second->start();
        // Half of the ranks first wait for the second operation: the other one must proceed anyway.
        const bool turned = (host.rank() + round) % 2 == 0;
        (turned ? second : first)->wait();
        (turned ? first : second)->wait();
        expect(all_are(memory, one, 4), "sum over all");
        expect(all_are(memory, two, host.rank() % 2 == 0 ? 2 : 4), "sum over two");
      }
      expect(world->workspace_bytes(graph::Collective::all_reduce, {}, 1000, graph::DType::f32) == 0, "no workspace");
      expect(world->sent_bytes() == host.sent_bytes() && world->transport() == "threads", "as the host says");
      expect(staging_bytes(*world) == 2 * bytes && staging_bytes(*pair) == 2 * bytes, "pinned memory of the rank");
    }
    memory.release(one);
    memory.release(two);
  });
}

TEST_CASE("check advances staged operations and throws the failure of a peer") {
  try {
    find_transport("threads").launch(2, {std::chrono::seconds(20)}, [](Communicator& host) {
      DelayedCopy copy(host.rank());
      FakeMemory memory;
      void* device = memory.allocate(bytes);
      const std::unique_ptr<Communicator> staged = make_staged(host, copy);
      const OperationPtr operation = sum_on_device(*staged, device, "gradients");
      operation->start();
      while (!operation->done()) staged->check();
      run(host.barrier());
      if (host.rank() == 0) staged->abort("the loss is not finite");
      while (true) staged->check();
    });
    FAIL("no exception");
  } catch (const CommunicationError& error) {
    CHECK(error.kind() == CommunicationError::Kind::aborted);
    CHECK(std::string(error.what()).find("the loss is not finite") != std::string::npos);
  }
}

TEST_CASE("staging_bytes rejects a communicator that is not staged") {
  find_transport("threads").launch(1, {}, [](Communicator& host) {
    try {
      staging_bytes(host);
    } catch (const ContractError&) {
      return;
    }
    expect(false, "a ContractError");
  });
}
