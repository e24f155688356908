#include "comm/mpi/native.h"

#include <fmt/core.h>
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.h"
#include "collectives/algorithm.h"
#include "comm/mpi/check.h"
#include "comm/mpi/datatypes.h"

namespace ddlbench::comm::mpi {

namespace {

int counted(std::int64_t count) {
  if (count <= std::numeric_limits<int>::max()) return static_cast<int>(count);
  throw InputError(fmt::format(
      "a native collective of {} elements exceeds MPI's counts; use another algorithm (devices/collectives)", count));
}

/// The common part of the three collectives: one MPI request.
class Native : public Task {
 public:
  Native(GroupPtr group, SentCounters& sent, Kind kind, std::string label, graph::DType dtype,
         graph::Collective collective, const collectives::Payload& payload)
      : group_(std::move(group)),
        type_(datatype(dtype)),
        sent_(sent),
        kind_(kind),
        label_(label.empty() ? std::string(name(kind)) : std::move(label)),
        bytes_(bytes_of(payload.count(), dtype)),
        nominal_bytes_(bytes_of(collectives::nominal_elements(collective, payload, group_->rank), dtype)) {
    counted(payload.count());
  }

  /// Requests remain only after a failed launch; MPI cannot cancel them.
  ~Native() override = default;

  void begin(std::uint64_t sequence) override {
    require(done_, "a communication was started again before it was complete");
    sequence_ = sequence;
    done_ = false;
    begun_ = false;
  }

  Advance advance(std::int64_t limit) override {
    Advance result;
    if (!begun_) {
      request_ = post();
      sent_.add(kind_, nominal_bytes_);
      begun_ = result.moved = true;
    }
    if (bytes_ > limit) {
      result.deferred = true;
      return result;
    }
    int done = 0;
    check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) return result;
    finish();
    done_ = result.moved = true;
    return result;
  }

  bool done() const override { return done_; }
  std::uint64_t sequence() const override { return sequence_; }
  /// Returns any other member; their answers to pings tell which one is late.
  int waiting_for() const override {
    const auto size = static_cast<int>(group_->members.size());
    return done_ || size == 1 ? -1 : (group_->rank + 1) % size;
  }
  Kind kind() const override { return kind_; }
  const std::string& label() const override { return label_; }

 protected:
  virtual MPI_Request post() = 0;
  virtual void finish() {}

  const GroupPtr group_;
  const MPI_Datatype type_;

 private:
  SentCounters& sent_;
  const Kind kind_;
  const std::string label_;
  const std::int64_t bytes_;
  const std::int64_t nominal_bytes_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::uint64_t sequence_ = 0;
  bool begun_ = false;
  bool done_ = true;
};

class AllReduce final : public Native {
 public:
  AllReduce(const GroupPtr& group, SentCounters& sent, const Reduce& call)
      : Native(group, sent, Kind::all_reduce, call.label, call.dtype, graph::Collective::all_reduce,
               {static_cast<int>(group->members.size()), call.count}),
        call_(call),
        op_(reduction(call.dtype, call.reduction)) {}

 private:
  MPI_Request post() override {
    MPI_Request request = MPI_REQUEST_NULL;
    const void* input = call_.input == call_.output ? MPI_IN_PLACE : call_.input;
    check(
        MPI_Iallreduce(input, call_.output, static_cast<int>(call_.count), type_, op_, group_->communicator, &request),
        "MPI_Iallreduce");
    return request;
  }

  Reduce call_;
  MPI_Op op_;
};

/// Counts and displacements of uneven parts, as MPI expects them.
struct Layout {
  explicit Layout(const std::vector<std::int64_t>& parts) {
    std::int64_t offset = 0;
    for (const std::int64_t count : parts) {
      counts.push_back(counted(count));
      offsets.push_back(counted(offset));
      offset += count;
    }
  }
  std::vector<int> counts;
  std::vector<int> offsets;
};

class ReduceScatter final : public Native {
 public:
  ReduceScatter(const GroupPtr& group, SentCounters& sent, const Parts& call)
      : Native(group, sent, Kind::reduce_scatter, call.label, call.dtype, graph::Collective::reduce_scatter,
               collectives::Payload(call.counts)),
        call_(call),
        layout_(call.counts),
        op_(reduction(call.dtype, call.reduction)) {
    const auto own = static_cast<std::size_t>(group->rank);
    own_bytes_ = static_cast<std::size_t>(bytes_of(call.counts[own], call.dtype));
    const auto* whole = static_cast<const std::byte*>(call.input);
    const std::byte* part = whole + bytes_of(layout_.offsets[own], call.dtype);
    // The in-place variant of MPI expects the part at another address.
    if (part == call.output) aside_.resize(std::max<std::size_t>(own_bytes_, 1));
  }

 private:
  MPI_Request post() override {
    MPI_Request request = MPI_REQUEST_NULL;
    void* output = aside_.empty() ? call_.output : aside_.data();
    check(MPI_Ireduce_scatter(call_.input, output, layout_.counts.data(), type_, op_, group_->communicator, &request),
          "MPI_Ireduce_scatter");
    return request;
  }
  void finish() override {
    if (!aside_.empty() && own_bytes_ > 0) std::memcpy(call_.output, aside_.data(), own_bytes_);
  }

  Parts call_;
  Layout layout_;
  MPI_Op op_;
  std::size_t own_bytes_ = 0;
  std::vector<std::byte> aside_;
};

class AllGather final : public Native {
 public:
  AllGather(const GroupPtr& group, SentCounters& sent, const Parts& call)
      : Native(group, sent, Kind::all_gather, call.label, call.dtype, graph::Collective::all_gather,
               collectives::Payload(call.counts)),
        call_(call),
        layout_(call.counts) {}

 private:
  MPI_Request post() override {
    MPI_Request request = MPI_REQUEST_NULL;
    const auto own = static_cast<std::size_t>(group_->rank);
    const auto* whole = static_cast<const std::byte*>(call_.output);
    const bool in_place = call_.input == whole + bytes_of(layout_.offsets[own], call_.dtype);
    check(MPI_Iallgatherv(in_place ? MPI_IN_PLACE : call_.input, layout_.counts[own], type_, call_.output,
                          layout_.counts.data(), layout_.offsets.data(), type_, group_->communicator, &request),
          "MPI_Iallgatherv");
    return request;
  }

  Parts call_;
  Layout layout_;
};

}  // namespace

std::unique_ptr<Task> native_all_reduce(const GroupPtr& group, SentCounters& sent, const Reduce& call) {
  return std::make_unique<AllReduce>(group, sent, call);
}

std::unique_ptr<Task> native_reduce_scatter(const GroupPtr& group, SentCounters& sent, const Parts& call) {
  return std::make_unique<ReduceScatter>(group, sent, call);
}

std::unique_ptr<Task> native_all_gather(const GroupPtr& group, SentCounters& sent, const Parts& call) {
  return std::make_unique<AllGather>(group, sent, call);
}

}  // namespace ddlbench::comm::mpi
