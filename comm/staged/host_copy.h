#pragma once

#include <cstddef>
#include <cstdint>

namespace ddlbench::comm {

/// How a rank's buffers get to and from the host where it cannot reach them: asynchronous copies, one after
/// another in the order of their begins, each after what its caller has held them by.
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
  /// All copies begun so far are before the mark.
  virtual void mark(Ticket ticket) = 0;
  /// Of the latest mark. Throws where the device failed: what it was asked to copy never comes.
  virtual bool complete(Ticket ticket) = 0;
};

}  // namespace ddlbench::comm
