#pragma once

#include <cstddef>
#include <cstdint>

namespace ddlbench::comm {

/// How a rank's buffers get to and from the host where it cannot reach them: asynchronous copies in two queues, out and
/// in, each in the order of its begins. The way out is held by whoever starts an operation, until the operation's
/// buffers are its own; the way in is held by nothing.
class HostCopy {
 public:
  virtual ~HostCopy() = default;

  /// Host memory that the copies can use. Throws std::bad_alloc.
  virtual void* allocate_host(std::size_t bytes) = 0;
  virtual void release_host(void* memory) noexcept = 0;

  /// A mark to follow copies by, made once and used again and again.
  using Ticket = std::int32_t;
  virtual Ticket make_ticket() = 0;
  virtual void begin_out(void* host, const void* device, std::size_t bytes) = 0;
  virtual void begin_in(void* device, const void* host, std::size_t bytes) = 0;
  /// All that was begun on that way so far, and what holds it, is before the mark.
  virtual void mark_out(Ticket ticket) = 0;
  virtual void mark_in(Ticket ticket) = 0;
  virtual bool complete(Ticket ticket) = 0;
  /// Returns once what is before the mark is done, or never will be: its memory may go.
  virtual void settle(Ticket ticket) noexcept = 0;
  virtual void release_ticket(Ticket ticket) noexcept = 0;
};

}  // namespace ddlbench::comm
