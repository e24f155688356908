#include "base/error.h"
#include "catch.h"
#include "gpu.h"

using namespace ddlbench;
using graph::Stream;
using kernels::EventKind;

namespace {

constexpr std::size_t size = std::size_t{16} << 20;  // 64 MiB: some milliseconds of copying

}  // namespace

TEST_CASE("a stream that waits for an event continues after it") {
  const auto device = test::gpu();
  REQUIRE(device->asynchronous());
  const test::OnDevice numbers(*device, size);
  test::Pinned sent(*device, size, 0), received(*device, size, 0);
  const auto arrived = device->make_event(EventKind::order), taken = device->make_event(EventKind::order);
  for (std::int32_t value = 1; value <= 5; ++value) {
    sent.fill(value);
    device->copy_in(numbers.data(), sent.data(), sent.bytes(), Stream::copy);
    device->record(arrived, Stream::copy);
    device->wait_for_event(Stream::communication, arrived);
    device->copy_out(received.data(), numbers.data(), received.bytes(), Stream::communication);
    device->record(taken, Stream::communication);
    device->wait(taken);
    CHECK(device->complete(arrived));
    CHECK(received.all(value));
  }
}

TEST_CASE("a copy without a stream follows the compute stream and is complete on return") {
  const auto device = test::gpu();
  const test::OnDevice numbers(*device, size);
  const test::Pinned sent(*device, size, 3);
  device->copy_in(numbers.data(), sent.data(), sent.bytes(), Stream::compute);
  std::vector<std::int32_t> received(size);
  device->copy_out(received.data(), numbers.data(), size * sizeof(std::int32_t));
  CHECK(received == std::vector<std::int32_t>(size, 3));
  device->fill_zero(numbers.data(), size * sizeof(std::int32_t));
  device->copy_out(received.data(), numbers.data(), size * sizeof(std::int32_t));
  CHECK(received == std::vector<std::int32_t>(size, 0));
}

TEST_CASE("event times are in order and between host times before and after, on every stream") {
  constexpr std::int64_t tolerance = 1'000'000;
  const auto device = test::gpu();
  const test::OnDevice numbers(*device, size);
  const test::Pinned sent(*device, size, 1);
  const auto begin = device->make_event(EventKind::time), end = device->make_event(EventKind::time);
  for (const auto stream : {Stream::compute, Stream::communication, Stream::copy, Stream::input}) {
    const std::int64_t before = test::host_now();
    device->record(begin, stream);
    device->copy_in(numbers.data(), sent.data(), sent.bytes(), stream);
    device->record(end, stream);
    device->finish();
    const std::int64_t after = test::host_now();
    REQUIRE(device->complete(end));
    CHECK(device->time_of(begin) > before - tolerance);
    CHECK(device->time_of(begin) < device->time_of(end));
    CHECK(device->time_of(end) < after + tolerance);
    device->align_clock();
  }
  const auto order = device->make_event(EventKind::order);
  device->record(order, Stream::compute);
  device->finish();
  CHECK_THROWS_AS(device->time_of(order), ContractError);
}

TEST_CASE("a released event is invalid until its number is reused") {
  const auto device = test::gpu();
  const auto first = device->make_event(EventKind::order), second = device->make_event(EventKind::time);
  device->release_event(first);
  device->release_event(first);
  CHECK_THROWS_AS(device->record(first, Stream::compute), ContractError);
  CHECK(device->make_event(EventKind::time) == first);
  CHECK(device->make_event(EventKind::time) != first);
  device->record(first, Stream::compute);
  device->record(second, Stream::compute);
  device->finish();
  CHECK(device->time_of(first) <= device->time_of(second));
}
