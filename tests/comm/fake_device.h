#pragma once

#include <vector>

#include "comm/staged/host_copy.h"
#include "device_memory.h"

namespace ddlbench::comm::testing {

/// A fake device memory. Its addresses can be neither read nor written; the bytes are stored elsewhere.
class FakeMemory final : public DeviceMemory {
 public:
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void copy_in(void* device, const void* host, std::size_t bytes) override;
  void copy_out(void* host, const void* device, std::size_t bytes) override;

  /// Returns where the bytes at a device address are stored. Throws if they are not within one allocation.
  static std::byte* bytes_at(const void* device, std::size_t bytes);
};

/// Delayed copies: a copy is not done when it is started; instead, every third poll does one copy. Each event also
/// takes some polls of its own, depending on `seed`, so that a later event may be found complete before an earlier one.
class DelayedCopy final : public HostCopy {
 public:
  explicit DelayedCopy(int seed) : recorded_(seed) {}

  void* allocate_host(std::size_t bytes) override;
  void release_host(void* memory) noexcept override;
  Event make_event() override;
  void begin_out(void* host, const void* device, std::size_t bytes) override;
  void begin_in(void* device, const void* host, std::size_t bytes) override;
  void record_out(Event event) override;
  void record_in(Event event) override;
  bool complete(Event event) override;
  void synchronize(Event event) noexcept override;
  void release_event(Event event) noexcept override;

  /// Returns the number of allocations and events that have not been released.
  std::size_t held() const { return held_; }

 private:
  struct Copy {
    bool out = false;
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t bytes = 0;
  };
  struct Queue {
    std::vector<Copy> copies = std::vector<Copy>(256);  ///< a ring buffer: starting a copy does not allocate
    std::size_t begun = 0;
    std::size_t done = 0;
  };
  struct Place {
    Queue* queue = nullptr;
    std::size_t copies = 0;
    int polls = 0;  ///< least number of polls that it takes
  };
  void begin(Queue& queue, const Copy& copy);
  void copy_one(Queue& queue);

  FakeMemory memory_;
  Queue out_;
  Queue in_;
  std::vector<Place> events_;
  std::size_t polls_ = 0;
  int recorded_;
  std::size_t held_ = 0;
};

}  // namespace ddlbench::comm::testing
