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

void* LateCopy::allocate_host(std::size_t bytes) {
  ++held_;
  return new std::byte[bytes];
}

void LateCopy::release_host(void* memory) noexcept {
  --held_;
  delete[] static_cast<std::byte*>(memory);
}

HostCopy::Ticket LateCopy::make_ticket() {
  ++held_;
  marks_.emplace_back();
  return static_cast<Ticket>(marks_.size() - 1);
}

void LateCopy::release_ticket(Ticket) noexcept {
  --held_;
}

void LateCopy::begin(Queue& queue, const Copy& copy) {
  if (queue.begun - queue.done == queue.copies.size())
    throw std::runtime_error("more copies at once than a test makes");
  queue.copies[queue.begun++ % queue.copies.size()] = copy;
}

void LateCopy::begin_out(void* host, const void* device, std::size_t bytes) {
  std::memset(host, 0xee, bytes);  // a premature read sees these bytes
  begin(out_, {true, host, device, bytes});
}

void LateCopy::begin_in(void* device, const void* host, std::size_t bytes) {
  begin(in_, {false, device, host, bytes});
}

void LateCopy::mark_out(Ticket ticket) {
  marks_[static_cast<std::size_t>(ticket)] = {&out_, out_.begun, (++marked_ * 5) % 7};
}

void LateCopy::mark_in(Ticket ticket) {
  marks_[static_cast<std::size_t>(ticket)] = {&in_, in_.begun, (++marked_ * 5) % 7};
}

void LateCopy::copy_one(Queue& queue) {
  if (queue.done == queue.begun) return;
  const Copy& copy = queue.copies[queue.done++ % queue.copies.size()];
  if (copy.out) {
    memory_.copy_out(copy.to, copy.from, copy.bytes);
  } else {
    memory_.copy_in(copy.to, copy.from, copy.bytes);
  }
}

bool LateCopy::complete(Ticket ticket) {
  // Alternates between the queues, so that each is sometimes ahead of the other.
  if (++looks_ % 3 == 0) copy_one(looks_ % 2 == 0 ? out_ : in_);
  Place& place = marks_[static_cast<std::size_t>(ticket)];
  return --place.looks < 0 && place.copies <= place.queue->done;
}

void LateCopy::settle(Ticket ticket) noexcept {
  const Place& place = marks_[static_cast<std::size_t>(ticket)];
  while (place.queue->done < place.copies) copy_one(*place.queue);
}

}  // namespace ddlbench::comm::testing
