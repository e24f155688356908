#include "comm/mpi/messages.h"

#include <fmt/core.h>
#include <algorithm>
#include <thread>

#include "base/error.h"
#include "comm/mpi/check.h"

namespace ddlbench::comm::mpi {

namespace {

/// Small enough to be reduced from cache while the next piece arrives, large enough for a low overhead per piece.
constexpr std::int64_t smallest_piece = 512 * 1024;
/// MPI counts are of type int.
constexpr std::int64_t largest_piece = std::int64_t{1} << 30;
constexpr std::int64_t most_pieces = 64;

constexpr std::chrono::milliseconds time_to_end{50};

std::int64_t piece_of(std::int64_t bytes) {
  constexpr std::int64_t whole_elements = 64;  // whatever their type
  return std::clamp(bytes / most_pieces / whole_elements * whole_elements, smallest_piece, largest_piece);
}

/// Exchanges use tag 0; collectives use the other tags in rotation.
int tag_of(std::uint64_t sequence, int largest_tag) {
  if (sequence == PointToPoint::exchanges) return 0;
  return 1 + static_cast<int>(sequence % static_cast<std::uint64_t>(largest_tag));
}

/// The common part of both ends: the requests of the pieces, and the index of the first incomplete one.
class Message : public Request {
 public:
  Message(World& world, GroupPtr group, int peer, std::int64_t bytes)
      : world_(world), group_(std::move(group)), peer_(peer), bytes_(bytes), piece_(piece_of(bytes)) {
    requests_.assign(static_cast<std::size_t>(bytes_ / piece_ + 1), MPI_REQUEST_NULL);
    done_ = requests_.size();
  }

  std::int64_t bytes() const override { return bytes_; }
  std::int64_t arrived() const override { return std::min(bytes_, static_cast<std::int64_t>(done_) * piece_); }
  int peer() const override { return peer_; }

 protected:
  struct Piece {
    std::int64_t offset;
    int bytes;
  };
  Piece piece(std::size_t index) const {
    const std::int64_t offset = static_cast<std::int64_t>(index) * piece_;
    return {offset, static_cast<int>(std::min(piece_, bytes_ - offset))};
  }

  World& world_;
  GroupPtr group_;
  int peer_;
  std::int64_t bytes_;
  std::int64_t piece_;
  std::vector<MPI_Request> requests_;
  std::size_t done_ = 0;
  int tag_ = 0;
};

class Send final : public Message {
 public:
  Send(World& world, GroupPtr group, int to, const void* data, std::int64_t bytes, const std::string& label)
      : Message(world, std::move(group), to, bytes), data_(static_cast<const std::byte*>(data)) {
    record_.group = group_->id;
    record_.to = group_->members[static_cast<std::size_t>(to)];
    record_.bytes = bytes;
    record_.label = label;
    world_.add(record_);
  }

  /// MPI cannot cancel a posted send and does not report whether it is in progress. Sends remain only after a failed
  /// launch: this gives those in progress some time to complete, and abandons the rest.
  ~Send() override {
    world_.remove(record_);
    const Clock::time_point last = Clock::now() + time_to_end;
    for (; done_ < requests_.size(); ++done_) {
      int done = 0;
      while (MPI_Test(&requests_[done_], &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
        if (Clock::now() >= last) break;
        std::this_thread::yield();
      }
      if (done == 0) MPI_Request_free(&requests_[done_]);
    }
  }

  void post(std::uint64_t sequence) override {
    tag_ = tag_of(sequence, world_.session().largest_tag());
    world_.record_tag(record_, tag_);
    done_ = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const Piece part = piece(i);
      check(MPI_Isend(data_ + part.offset, part.bytes, MPI_BYTE, peer_, tag_, group_->communicator, &requests_[i]),
            "MPI_Isend");
    }
  }

  bool test(std::int64_t limit) override {
    if (bytes_ > limit) return false;
    for (; done_ < requests_.size(); ++done_) {
      int done = 0;
      check(MPI_Test(&requests_[done_], &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done == 0) return false;
    }
    return true;
  }

 private:
  const std::byte* data_;
  SendRecord record_;
};

class Receive final : public Message {
 public:
  Receive(World& world, GroupPtr group, int from, void* data, std::int64_t bytes, std::string label)
      : Message(world, std::move(group), from, bytes), data_(static_cast<std::byte*>(data)), label_(std::move(label)) {}

  ~Receive() override {
    for (; done_ < requests_.size(); ++done_) {
      MPI_Request& request = requests_[done_];
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }

  void post(std::uint64_t sequence) override {
    tag_ = tag_of(sequence, world_.session().largest_tag());
    done_ = 0;
    broken_ = false;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const Piece part = piece(i);
      check(MPI_Irecv(data_ + part.offset, part.bytes, MPI_BYTE, peer_, tag_, group_->communicator, &requests_[i]),
            "MPI_Irecv");
    }
  }

  bool test(std::int64_t limit) override {
    if (bytes_ > limit || broken_) return false;
    for (; done_ < requests_.size(); ++done_) {
      int done = 0;
      MPI_Status status;
      const int code = MPI_Test(&requests_[done_], &done, &status);
      if (code == MPI_SUCCESS && done == 0) return false;
      broken_ = !arrived_whole(code, status);
      if (broken_) return false;
    }
    return true;
  }

 private:
  bool arrived_whole(int code, const MPI_Status& status) {
    const Piece part = piece(done_);
    if (code != MPI_SUCCESS) {
      int error = MPI_SUCCESS;
      MPI_Error_class(code, &error);
      if (error != MPI_ERR_TRUNCATE) check(code, "MPI_Test");
      world_.report_too_long(*group_, peer_, tag_, bytes_);
      return false;
    }
    int count = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
    if (count == part.bytes) return true;
    const int source = group_->members[static_cast<std::size_t>(peer_)];
    world_.failure().raise(CommunicationError::Kind::mismatch, source, label_,
                           fmt::format("rank {} sends {} bytes, rank {} expects {}", source, part.offset + count,
                                       world_.context().world_rank, bytes_));
    return false;
  }

  std::byte* data_;
  std::string label_;
  bool broken_ = false;  ///< the sizes do not match: the message never completes
};

}  // namespace

std::unique_ptr<Request> Messages::send(int to, const void* data, std::int64_t bytes, const std::string& label) {
  return std::make_unique<Send>(world_, group_, to, data, bytes, label);
}

std::unique_ptr<Request> Messages::receive(int from, const ReceiveTarget& target, std::int64_t bytes,
                                           const std::string& label) {
  require(!target.operand, "over MPI, the receiver reduces a message");
  return std::make_unique<Receive>(world_, group_, from, target.data, bytes, label);
}

}  // namespace ddlbench::comm::mpi
