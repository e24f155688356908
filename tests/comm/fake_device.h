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
class LateCopy final : public HostCopy {
 public:
  explicit LateCopy(int seed) : marked_(seed) {}

  void* allocate_host(std::size_t bytes) override;
  void release_host(void* memory) noexcept override;
  Ticket make_ticket() override;
  void begin_out(void* host, const void* device, std::size_t bytes) override;
  void begin_in(void* device, const void* host, std::size_t bytes) override;
  void mark_out(Ticket ticket) override;
  void mark_in(Ticket ticket) override;
  bool complete(Ticket ticket) override;
  void settle(Ticket ticket) noexcept override;
  void release_ticket(Ticket ticket) noexcept override;

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
    int looks = 0;  ///< least number of polls that it takes
  };
  void begin(Queue& queue, const Copy& copy);
  void copy_one(Queue& queue);

  FakeMemory memory_;
  Queue out_;
  Queue in_;
  std::vector<Place> marks_;
  std::size_t looks_ = 0;
  int marked_;
  std::size_t held_ = 0;
};

}  // namespace ddlbench::comm::testing
