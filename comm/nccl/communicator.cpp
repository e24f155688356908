#include "comm/nccl/communicator.h"

#include <memory>
#include <utility>

#include "base/error.h"
#include "collectives/pairwise.h"
#include "collectives/tree.h"
#include "comm/check_call.h"
#include "comm/nccl/bootstrap.h"
#include "comm/nccl/operation.h"

namespace ddlbench::comm::nccl {

namespace {

using collectives::Emit;
using collectives::Payload;

std::int64_t sent_bytes_of(const collectives::Steps& steps, graph::DType dtype) {
  return bytes_of(collectives::sent_elements(steps), dtype);
}

/// A communicator over NCCL. All groups but the first own their control communicator.
class NcclCommunicator final : public Communicator {
 public:
  NcclCommunicator(std::shared_ptr<Rank> rank, Communicator& control)
      : rank_(std::move(rank)), control_(control), handle_(*rank_) {
    init(*rank_, *handle_, control_);
  }
  NcclCommunicator(std::shared_ptr<Rank> rank, std::unique_ptr<Communicator> control)
      : rank_(std::move(rank)), own_(std::move(control)), control_(*own_), handle_(*rank_) {
    init(*rank_, *handle_, control_);
  }

  int rank() const override { return control_.rank(); }
  int size() const override { return control_.size(); }
  std::string transport() const override { return "nccl"; }

  OperationPtr all_reduce(const Reduce& call) override {
    check_call(call);
    check_algorithm(graph::Collective::all_reduce, call.algorithm);
    return operation(calls_of(call), Kind::all_reduce,
                     nominal_bytes(graph::Collective::all_reduce, Payload(size(), call.count), call.dtype), call.label);
  }
  OperationPtr reduce_scatter(const Parts& call) override {
    check_call(call, size());
    check_algorithm(graph::Collective::reduce_scatter, call.algorithm);
    return operation(reduce_scatter_calls(call, rank()), Kind::reduce_scatter,
                     nominal_bytes(graph::Collective::reduce_scatter, Payload(call.counts), call.dtype), call.label);
  }
  OperationPtr all_gather(const Parts& call) override {
    check_call(call, size());
    check_algorithm(graph::Collective::all_gather, call.algorithm);
    return operation(all_gather_calls(call, rank()), Kind::all_gather,
                     nominal_bytes(graph::Collective::all_gather, Payload(call.counts), call.dtype), call.label);
  }
  OperationPtr all_to_all(const Redistribute& call) override {
    check_call(call, rank(), size());
    const auto steps = [&](const Emit& emit) {
      collectives::pairwise_all_to_all(rank(), call.send_counts, call.receive_counts, emit);
    };
    return operation(calls_of(call), Kind::all_to_all, sent_bytes_of(steps, call.dtype), call.label);
  }
  OperationPtr broadcast(const Broadcast& call) override {
    check_call(call, size());
    const auto steps = [&](const Emit& emit) {
      collectives::binomial_broadcast(rank(), size(), call.count, call.root, emit);
    };
    return operation(calls_of(call), Kind::broadcast, sent_bytes_of(steps, call.dtype), call.label);
  }
  OperationPtr exchange(std::vector<Outgoing> sends, std::vector<Incoming> receives, std::string label) override {
    check_call(sends, receives, size());
    std::int64_t bytes = 0;
    for (const Outgoing& message : sends) bytes += message.bytes;
    return operation(calls_of(sends, receives), Kind::send, bytes, label.empty() ? "exchange" : std::move(label));
  }
  OperationPtr barrier() override {
    const Call call{Call::Kind::all_reduce, rank_->token(), rank_->token(), 1, ncclUint8, ncclMax, 0};
    return operation({call}, Kind::barrier, 0, "barrier");
  }

  std::unique_ptr<Communicator> split(const std::vector<int>& members) override {
    rank_->rethrow();
    // Uses a new unique ID: all ranks of the parent would have to call ncclCommSplit.
    return std::make_unique<NcclCommunicator>(rank_, control_.split(members));
  }
  std::vector<collectives::Algorithm> algorithms(graph::Collective) const override { return {collectives::native()}; }
  std::int64_t workspace_bytes(graph::Collective, collectives::Algorithm, std::int64_t, graph::DType) const override {
    return 0;
  }
  bool on_stream() const override { return true; }
  std::chrono::milliseconds timeout() const override { return rank_->timeout(); }
  void check() override { rank_->check("a check"); }
  void watch(const std::function<std::int64_t()>& left, const std::string& label) override {
    PollingWait polling_wait(*rank_);
    for (std::int64_t last = left(); last != 0;) {
      polling_wait.pause(label);
      if (const std::int64_t now = left(); now != last) {
        last = now;
        polling_wait = PollingWait(*rank_);
      }
    }
    rank_->rethrow();  // an abort empties the stream, too
  }
  SentBytes sent_bytes() const override { return rank_->sent().snapshot(); }
  void abort(const std::string& reason) noexcept override { rank_->abort(reason); }

 private:
  std::int64_t nominal_bytes(graph::Collective kind, const Payload& payload, graph::DType dtype) const {
    return bytes_of(collectives::nominal_elements(kind, payload, rank()), dtype);
  }
  void check_algorithm(graph::Collective kind, collectives::Algorithm algorithm) const {
    require_algorithm(algorithm == collectives::native(), kind, algorithm, transport());
  }
  OperationPtr operation(std::vector<Call> calls, Kind kind, std::int64_t bytes, std::string label) {
    return std::make_unique<StreamOperation>(*rank_, *handle_, std::move(calls), kind, bytes, std::move(label));
  }

  std::shared_ptr<Rank> rank_;
  std::unique_ptr<Communicator> own_;
  Communicator& control_;
  OwnedHandle handle_;
};

}  // namespace

std::unique_ptr<Communicator> make(const Api& api, Communicator& control, cudaStream_t stream,
                                   std::chrono::milliseconds timeout, const std::string& gpu) {
  const NcclState state = state_of(api);
  if (!state.usable) throw InputError("transport nccl: " + state.why_not);
  reject_shared_gpus(control, gpu);
  return std::make_unique<NcclCommunicator>(std::make_shared<Rank>(api, control, stream, timeout), control);
}

}  // namespace ddlbench::comm::nccl
