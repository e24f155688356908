#include "fake_device.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>

namespace ddlbench::comm::testing {

namespace {

struct Allocation {
  std::size_t bytes = 0;
  std::unique_ptr<std::byte[]> content;
};

struct Heap {
  std::mutex mutex;
  std::map<std::uintptr_t, Allocation> allocations;
};

Heap& heap() {
  static Heap all;
  return all;
}

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace

void* FakeMemory::allocate(std::size_t bytes) {
  const std::size_t reserved = std::max<std::size_t>(bytes, 1);
  void* address = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  const std::lock_guard lock(heap().mutex);
  heap().allocations[number(address)] = {reserved, std::make_unique<std::byte[]>(reserved)};
  return address;
}

void FakeMemory::release(void* memory) noexcept {
  if (!memory) return;
  const std::lock_guard lock(heap().mutex);
  const auto found = heap().allocations.find(number(memory));
  munmap(memory, found->second.bytes);
  heap().allocations.erase(found);
}

std::byte* FakeMemory::bytes_at(const void* device, std::size_t bytes) {
  const std::lock_guard lock(heap().mutex);
  auto found = heap().allocations.upper_bound(number(device));
  if (found == heap().allocations.begin()) throw std::runtime_error("no device memory at this address");
  --found;
  const std::size_t offset = number(device) - found->first;
  if (offset + bytes > found->second.bytes) throw std::runtime_error("device memory ends before these bytes do");
  return found->second.content.get() + offset;
}

void FakeMemory::copy_in(void* device, const void* host, std::size_t bytes) {
  std::memcpy(bytes_at(device, bytes), host, bytes);
}

void FakeMemory::copy_out(void* host, const void* device, std::size_t bytes) {
  std::memcpy(host, bytes_at(device, bytes), bytes);
}

void* DelayedCopy::allocate_host(std::size_t bytes) {
  ++held_;
  return new std::byte[bytes];
}

void DelayedCopy::release_host(void* memory) noexcept {
  --held_;
  delete[] static_cast<std::byte*>(memory);
}

HostCopy::Event DelayedCopy::make_event() {
  ++held_;
  events_.emplace_back();
  return static_cast<Event>(events_.size() - 1);
}

void DelayedCopy::release_event(Event) noexcept {
  --held_;
}

void DelayedCopy::begin(Queue& queue, const Copy& copy) {
  if (queue.begun - queue.done == queue.copies.size())
    throw std::runtime_error("more copies at once than a test makes");
  queue.copies[queue.begun++ % queue.copies.size()] = copy;
}

void DelayedCopy::begin_out(void* host, const void* device, std::size_t bytes) {
  std::memset(host, 0xee, bytes);  // a premature read sees these bytes
  begin(out_, {true, host, device, bytes});
}

void DelayedCopy::begin_in(void* device, const void* host, std::size_t bytes) {
  begin(in_, {false, device, host, bytes});
}

void DelayedCopy::record_out(Event event) {
  events_[static_cast<std::size_t>(event)] = {&out_, out_.begun, (++recorded_ * 5) % 7};
}

void DelayedCopy::record_in(Event event) {
  events_[static_cast<std::size_t>(event)] = {&in_, in_.begun, (++recorded_ * 5) % 7};
}

void DelayedCopy::copy_one(Queue& queue) {
  if (queue.done == queue.begun) return;
  const Copy& copy = queue.copies[queue.done++ % queue.copies.size()];
  if (copy.out) {
    memory_.copy_out(copy.to, copy.from, copy.bytes);
  } else {
    memory_.copy_in(copy.to, copy.from, copy.bytes);
  }
}

bool DelayedCopy::complete(Event event) {
  // Alternates between the queues, so that each is sometimes ahead of the other.
  if (++polls_ % 3 == 0) copy_one(polls_ % 2 == 0 ? out_ : in_);
  Place& place = events_[static_cast<std::size_t>(event)];
  return --place.polls < 0 && place.copies <= place.queue->done;
}

void DelayedCopy::synchronize(Event event) noexcept {
  const Place& place = events_[static_cast<std::size_t>(event)];
  while (place.queue->done < place.copies) copy_one(*place.queue);
}

}  // namespace ddlbench::comm::testing
