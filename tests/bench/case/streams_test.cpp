#include <functional>

#include "bench/case/verify.h"
#include "catch.h"
#include "every_way.h"
#include "runtime/queue_channels.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

constexpr std::int64_t steps = 4;

using MakeDevice = std::function<std::unique_ptr<kernels::Device>()>;

/// The first steps of a case on such devices.
runtime::Trace trace_on(const SmallCase& small, const Setup& setup, const MakeDevice& make_device) {
  program::Plan plan = compile(setup, small.which.strategy.choice, small.which.ranks);
  runtime::Trace trace;
  comm::WorldOptions options;
  options.timeout = std::chrono::seconds(20);
  comm::find_transport("threads").launch(small.which.ranks, options, [&](comm::Communicator& communicator) {
    const auto device = make_device();
    const test::TestChannels channels(*device, communicator);
    complete(plan, *device, channels, Sharing::one_plan);
    Trainer trainer(setup, plan, *device, channels);
    runtime::Trace own = record_trace(trainer, training_order(setup, steps), steps, nullptr);
    if (communicator.rank() == 0) trace = std::move(own);
  });
  return trace;
}

/// On a device of queues, in an order of its streams that changes from case to case: staged, and on the communication
/// stream, where the first two steps are not recorded and the others are.
void check_streams(const SmallCase& small, unsigned seed) {
  const Setup setup = prepare(small.experiment, small.which, open_data(small.experiment));
  const runtime::Trace expected = trace_on(small, setup, [] { return kernels::make_device("reference", {}); });
  for (const bool on_stream : {false, true}) {
    test::QueueOptions options;
    options.seed = seed;
    options.on_stream = on_stream;
    options.records = on_stream;
    INFO(small.which.id << " on " << small.which.ranks << ", seed " << seed
                        << (on_stream ? ", on stream" : ", staged"));
    const runtime::Trace found = trace_on(small, setup, [&] { return std::make_unique<test::QueueDevice>(options); });
    CHECK(found.losses == expected.losses);
    CHECK(found.first_gradients == expected.first_gradients);
    CHECK(found.final == expected.final);
  }
}

}  // namespace

TEST_CASE("Every strategy trains on streams what the host trains, to the bit", "[streams]") {
  unsigned seed = 0;
  for (const Way& way : every_way()) check_streams(four_layers(way.strategy, way.ranks, way.options), seed++);
}

TEST_CASE("Strategies train a transformer on streams as on the host, to the bit", "[streams]") {
  const test::TemporaryFolder folder;
  unsigned seed = 0;
  for (const Way& way : every_way()) {
    if (way.ranks == 2) check_streams(tiny_gpt(folder, way, true), seed++);
  }
}
