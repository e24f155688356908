#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "graph/dtype.h"
#include "graph/placement.h"

namespace ddlbench::comm {

/// What to do with a received message: write it to `data`, or with `operand`, reduce it: data = operand ⊕ message, or
/// message ⊕ operand if `incoming_first` is set. The operand may be `data`.
struct ReceiveTarget {
  void* data = nullptr;
  const void* operand = nullptr;
  bool incoming_first = true;
  graph::DType dtype = graph::DType::u8;
  graph::Reduction reduction = graph::Reduction::sum;
};

/// Delivers `bytes` bytes at `message` to a receive target.
void deliver(const ReceiveTarget& target, const void* message, std::int64_t bytes);

/// One end of a message, prepared once and posted many times. Used by one thread at a time.
class Request {
 public:
  /// Cancels a pending request; waits for a transfer that is in progress.
  virtual ~Request() = default;
  virtual void post(std::uint64_t sequence) = 0;
  /// Transfers the bytes if the other end is posted and they are not more than `limit`. Returns true once the request
  /// is done.
  virtual bool test(std::int64_t limit) = 0;
  /// Returns how many bytes from the beginning of a posted receive without operand have arrived, as of the last test.
  /// Always whole elements.
  virtual std::int64_t arrived() const = 0;
  virtual std::int64_t bytes() const = 0;
  virtual int peer() const = 0;  ///< rank in the group
};

/// The interface that a transport must implement to run the steps of collectives/: messages between the members of one
/// group. A message matches the first posted one with the same sequence, sender and receiver. A mismatch of the byte
/// counts is a CommunicationError{mismatch} on both ends. Only send() and receive() allocate.
class PointToPoint {
 public:
  virtual ~PointToPoint() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::unique_ptr<Request> send(int to, const void* data, std::int64_t bytes, const std::string& label) = 0;
  virtual std::unique_ptr<Request> receive(int from, const ReceiveTarget& target, std::int64_t bytes,
                                           const std::string& label) = 0;
  /// Returns whether a receive target may have an operand. If not, the caller receives into scratch and reduces itself.
  virtual bool reduces() const = 0;
  /// Returns a number that the next collective gets on every member.
  virtual std::uint64_t next_collective() = 0;
  /// Returns the world rank to blame if `member` does not answer within the collective with this number, or within an
  /// exchange (`exchanges`).
  virtual int blame(std::uint64_t sequence, int member) const = 0;

  /// The sequence of all messages outside of collectives. Those between two ranks match in the order in which they are
  /// posted.
  static constexpr std::uint64_t exchanges = ~std::uint64_t{0};
};

}  // namespace ddlbench::comm
