#include <thread>

#include "base/error.h"
#include "catch.h"
#include "gpu.h"
#include "kernels/cuda/check.h"

using namespace ddlbench;
using graph::Stream;
using kernels::EventKind;

namespace {

constexpr std::size_t recorded_size = std::size_t{1} << 20;

/// A recording that copies numbers in on the copy stream and out on the compute stream. Each launch records two timed
/// events.
struct RoundTrip {
  explicit RoundTrip(kernels::Device& on) : device(on) {
    put();
    device.finish();
    device.begin_recording();
    put();
    recording = device.end_recording();
  }
  void put() {
    device.record(begin, Stream::copy);
    device.copy_in(numbers.data(), sent.data(), sent.bytes(), Stream::copy);
    device.record(arrived, Stream::copy);
    device.wait_for_event(Stream::compute, arrived);
    device.copy_out(received.data(), numbers.data(), received.bytes(), Stream::compute);
    device.record(end, Stream::compute);
  }

  kernels::Device& device;
  test::OnDevice numbers{device, recorded_size};
  test::Pinned sent{device, recorded_size, 1}, received{device, recorded_size, 0};
  kernels::Event begin = device.make_event(EventKind::time), end = device.make_event(EventKind::time);
  kernels::Event arrived = device.make_event(EventKind::order);
  std::unique_ptr<kernels::Device::Recording> recording;
};

bool round_trip_works(kernels::Device& device, std::int32_t value) {
  RoundTrip numbers(device);
  numbers.sent.fill(value);
  numbers.recording->launch();
  device.finish();
  return numbers.received.all(value);
}

}  // namespace

TEST_CASE("recording executes nothing, and each launch uses the current contents of memory") {
  const auto device = test::gpu();
  REQUIRE(device->can_record());
  RoundTrip numbers(*device);
  numbers.received.fill(0);
  device->finish();
  CHECK(numbers.received.all(0));
  std::int64_t last = 0;
  for (std::int32_t value = 1; value <= 4; ++value) {
    numbers.sent.fill(value);
    const std::int64_t before = test::host_now();
    numbers.recording->launch();
    device->finish();
    const std::int64_t after = test::host_now();
    CHECK(numbers.received.all(value));
    REQUIRE(device->complete(numbers.begin));
    CHECK(device->time_of(numbers.begin) > last);
    CHECK(device->time_of(numbers.begin) > before - 1'000'000);
    CHECK(device->time_of(numbers.begin) < device->time_of(numbers.end));
    CHECK(device->time_of(numbers.end) < after + 1'000'000);
    last = device->time_of(numbers.end);
  }
}

TEST_CASE("a launch runs after earlier work and before later work of every stream") {
  const auto device = test::gpu();
  RoundTrip numbers(*device);
  const test::OnDevice other(*device, recorded_size);
  test::Pinned five(*device, recorded_size, 5), six(*device, recorded_size, 6), after(*device, recorded_size, 0);
  for (const auto stream : {Stream::compute, Stream::communication, Stream::copy}) {
    numbers.sent.fill(1);
    // Overwrites, through the device, the memory that the recording reads: this must be complete before the launch.
    device->copy_in(other.data(), five.data(), five.bytes(), stream);
    device->copy_out(numbers.sent.data(), other.data(), five.bytes(), stream);
    numbers.recording->launch();
    device->copy_out(after.data(), numbers.numbers.data(), after.bytes(), stream);
    device->copy_in(numbers.numbers.data(), six.data(), six.bytes(), stream);
    device->finish();
    CHECK(numbers.received.all(5));
    CHECK(after.all(5));
  }
}

TEST_CASE("a launch waits for input that an event of the input stream announces to the compute stream") {
  const auto device = test::gpu();
  RoundTrip numbers(*device);
  const test::OnDevice batch(*device, recorded_size);
  test::Pinned sent(*device, recorded_size, 0), seen(*device, recorded_size, 0);
  const auto arrived = device->make_event(EventKind::order);
  for (std::int32_t value = 1; value <= 5; ++value) {
    sent.fill(value);
    numbers.sent.fill(10 * value);
    device->copy_in(batch.data(), sent.data(), sent.bytes(), Stream::input);
    device->record(arrived, Stream::input);
    device->wait_for_event(Stream::compute, arrived);
    numbers.recording->launch();
    device->copy_out(seen.data(), batch.data(), seen.bytes(), Stream::compute);
    device->finish();
    CHECK(seen.all(value));
    CHECK(numbers.received.all(10 * value));
  }
}

TEST_CASE("an operation that cannot be recorded is an error, and the device recovers if the recording is abandoned") {
  const auto device = test::gpu();
  const test::OnDevice numbers(*device, recorded_size);
  const test::Pinned sent(*device, recorded_size, 1);
  const auto before = device->make_event(EventKind::order);
  device->record(before, Stream::copy);
  device->finish();

  device->begin_recording();
  CHECK_THROWS_AS(device->begin_recording(), ContractError);
  CHECK_THROWS_AS(device->fill_zero(numbers.data(), 4), ContractError);
  CHECK_THROWS_AS(device->wait_for_event(Stream::compute, before), kernels::cuda::DeviceError);
  device->abandon_recording();
  device->abandon_recording();
  CHECK_THROWS_AS(device->end_recording(), ContractError);
  CHECK(round_trip_works(*device, 7));

  device->begin_recording();
  device->copy_in(numbers.data(), sent.data(), sent.bytes(), Stream::communication);
  device->abandon_recording();
  CHECK(round_trip_works(*device, 8));
}

TEST_CASE("ranks in several threads can record at the same time") {
  std::vector<std::thread> ranks;
  std::vector<int> correct(4);
  for (std::size_t rank = 0; rank < correct.size(); ++rank) {
    ranks.emplace_back([&correct, rank] {
      const auto device = test::gpu();
      for (int i = 0; i < 10; ++i)
        correct[rank] += round_trip_works(*device, static_cast<std::int32_t>(rank) * 100 + i);
    });
  }
  for (auto& rank : ranks) rank.join();
  CHECK(correct == std::vector<int>(4, 10));
}
