#pragma once

#include <vector>

#include "comm/staged/host_copy.h"
#include "device_memory.h"

namespace ddlbench::comm::testing {

/// Device memory without a device: the addresses can be neither read nor written, the bytes lie elsewhere.
class FakeMemory final : public DeviceMemory {
 public:
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void copy_in(void* device, const void* host, std::size_t bytes) override;
  void copy_out(void* host, const void* device, std::size_t bytes) override;

  /// Where the bytes at a device address lie. Throws where that many do not lie in one allocation.
  static std::byte* bytes_at(const void* device, std::size_t bytes);
};

/// Copies that are late: nothing is copied when it is begun, and one copy at each third look. A mark takes some looks
/// of its own, so that a later one may be found complete before an earlier one; which one, depends on `seed`.
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

  /// Of memory and tickets that it gave and has not got back.
  std::size_t held() const { return held_; }

 private:
  struct Copy {
    bool out = false;
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t bytes = 0;
  };
  struct Queue {
    std::vector<Copy> copies = std::vector<Copy>(256);  ///< a ring: nothing allocates
    std::size_t begun = 0;
    std::size_t done = 0;
  };
  struct Place {
    Queue* queue = nullptr;
    std::size_t copies = 0;
    int looks = 0;  ///< that it takes at least
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
