#pragma once

#include <cstddef>
#include <cstdint>

namespace ddlbench::comm {

/// Asynchronous copies between the host and buffers that it cannot access. There are two queues, out to the host and in
/// to the device; each runs its copies in the order in which they were started. Before a caller starts an operation, it
/// makes the outgoing queue wait until the operation may use its buffers. The incoming queue waits for nothing.
class HostCopy {
 public:
  virtual ~HostCopy() = default;

  /// Allocates host memory that the copies can use. Throws std::bad_alloc.
  virtual void* allocate_host(std::size_t bytes) = 0;
  virtual void release_host(void* memory) noexcept = 0;

  /// An event that records a position in a queue. It is created once and recorded many times.
  using Event = std::int32_t;
  virtual Event make_event() = 0;
  virtual void begin_out(void* host, const void* device, std::size_t bytes) = 0;
  virtual void begin_in(void* device, const void* host, std::size_t bytes) = 0;
  /// Records an event behind everything in that queue so far, including what the queue waits for.
  virtual void record_out(Event event) = 0;
  virtual void record_in(Event event) = 0;
  virtual bool complete(Event event) = 0;
  /// Returns once the work before the event is done or will never be done, so that its memory can be released.
  virtual void synchronize(Event event) noexcept = 0;
  virtual void release_event(Event event) noexcept = 0;
};

}  // namespace ddlbench::comm
