#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "graph/dtype.h"
#include "graph/placement.h"

namespace ddlbench::comm {

/// What becomes of the bytes of a message: written to `data`; with `operand`, data = operand ⊕ message, or
/// message ⊕ operand where `incoming_first`. The operand may be `data`.
struct Landing {
  void* data = nullptr;
  const void* operand = nullptr;
  bool incoming_first = true;
  graph::DType dtype = graph::DType::u8;
  graph::Reduction reduction = graph::Reduction::sum;
};

/// Lands a message of `bytes` bytes that lies at `message`.
void land(const Landing& landing, const void* message, std::int64_t bytes);

/// One end of a message, prepared once and posted many times. Used by one thread at a time.
class Request {
 public:
  /// Withdraws what is posted and not done; waits for a transfer that is under way.
  virtual ~Request() = default;
  virtual void post(std::uint64_t sequence) = 0;
  /// Moves bytes if the other end is there, but no more than `limit` at once. True once done.
  virtual bool test(std::int64_t limit) = 0;
  /// Of a posted receive without operand: bytes from the beginning that have landed, as of the last test; whole
  /// elements.
  virtual std::int64_t arrived() const = 0;
  virtual std::int64_t bytes() const = 0;
  virtual int peer() const = 0;  ///< member of the group
};

/// All that a transport must have for the steps of collectives/: messages between the members of
/// one group. A message meets the first posted one of the same sequence, sender and receiver. Unequal
/// byte counts of the ends are a CommunicationError{mismatch} on both. Nothing allocates but send and receive.
class PointToPoint {
 public:
  virtual ~PointToPoint() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::unique_ptr<Request> send(int to, const void* data, std::int64_t bytes, const std::string& label) = 0;
  virtual std::unique_ptr<Request> receive(int from, const Landing& landing, std::int64_t bytes,
                                           const std::string& label) = 0;
  /// Whether a landing may have an operand; if not, messages land in scratch first.
  virtual bool reduces() const = 0;
  /// A number that the next collective of every member gets, too.
  virtual std::uint64_t next_collective() = 0;
  /// The world rank to blame when `member` does not answer within the collective of this number, or within
  /// an exchange (`exchanges`).
  virtual int blame(std::uint64_t sequence, int member) const = 0;

  /// The sequence of all messages outside collectives: those of two ranks meet in the order of their posts.
  static constexpr std::uint64_t exchanges = ~std::uint64_t{0};
};

}  // namespace ddlbench::comm
