#include "comm/staged/staged.h"

#include <numeric>
#include <utility>

#include "base/error.h"
#include "comm/check_call.h"
#include "comm/staged/staged_operation.h"

namespace ddlbench::comm {

namespace {

std::int64_t total(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

/// The size of one member's part and its offset, in bytes.
struct Part {
  Part(const std::vector<std::int64_t>& counts, int rank, graph::DType dtype) {
    const auto own = static_cast<std::size_t>(rank);
    offset = bytes_of(std::accumulate(counts.begin(), counts.begin() + rank, std::int64_t{0}), dtype);
    bytes = bytes_of(counts[own], dtype);
  }
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

class StagedCommunicator final : public Communicator {
 public:
  StagedCommunicator(Communicator& host, std::shared_ptr<StagingContext> stage)
      : host_(host), context_(std::move(stage)) {}
  StagedCommunicator(std::unique_ptr<Communicator> host, std::shared_ptr<StagingContext> stage)
      : own_(std::move(host)), host_(*own_), context_(std::move(stage)) {}

  int rank() const override { return host_.rank(); }
  int size() const override { return host_.size(); }
  std::string transport() const override { return host_.transport(); }

  OperationPtr all_reduce(const Reduce& call) override {
    check_call(call);
    const std::int64_t bytes = bytes_of(call.count, call.dtype);
    StagingPtr staging = stage(bytes);
    std::byte* memory = staging->at(0);
    Reduce host = call;
    host.input = host.output = memory;
    host.workspace = nullptr;
    return staged(std::move(staging), {{{memory, call.input, bytes}}, {{call.output, memory, bytes}}},
                  host_.all_reduce(host));
  }

  OperationPtr reduce_scatter(const Parts& call) override { return whole_and_part(call, true); }
  OperationPtr all_gather(const Parts& call) override { return whole_and_part(call, false); }

  OperationPtr all_to_all(const Redistribute& call) override {
    check_call(call, rank(), size());
    const std::int64_t out = bytes_of(total(call.send_counts), call.dtype);
    const std::int64_t in = bytes_of(total(call.receive_counts), call.dtype);
    StagingPtr staging = stage(out + in);
    Redistribute host = call;
    host.input = out > 0 ? staging->at(0) : nullptr;
    host.output = in > 0 ? staging->at(out) : nullptr;
    StagedCopies copies{{{staging->at(0), call.input, out}}, {{call.output, staging->at(out), in}}};
    return staged(std::move(staging), std::move(copies), host_.all_to_all(host));
  }

  OperationPtr broadcast(const Broadcast& call) override {
    check_call(call, size());
    const std::int64_t bytes = bytes_of(call.count, call.dtype);
    StagingPtr staging = stage(bytes);
    std::byte* memory = staging->at(0);
    Broadcast host = call;
    host.data = memory;
    StagedCopies copies;
    if (rank() == call.root) {
      copies.out.push_back({memory, call.data, bytes});
    } else {
      copies.in.push_back({call.data, memory, bytes});
    }
    return staged(std::move(staging), std::move(copies), host_.broadcast(host));
  }

  OperationPtr exchange(std::vector<Outgoing> sends, std::vector<Incoming> receives, std::string label) override {
    check_call(sends, receives, size());
    std::int64_t bytes = 0;
    for (const Outgoing& outgoing : sends) bytes += outgoing.bytes;
    for (const Incoming& incoming : receives) bytes += incoming.bytes;
    StagingPtr staging = stage(bytes);
    StagedCopies copies;
    std::int64_t offset = 0;
    for (Outgoing& outgoing : sends) {
      std::byte* memory = staging->at(offset);
      copies.out.push_back({memory, std::exchange(outgoing.data, memory), outgoing.bytes});
      offset += outgoing.bytes;
    }
    for (Incoming& incoming : receives) {
      std::byte* memory = staging->at(offset);
      copies.in.push_back({std::exchange(incoming.data, memory), memory, incoming.bytes});
      offset += incoming.bytes;
    }
    OperationPtr host = host_.exchange(std::move(sends), std::move(receives), std::move(label));
    return staged(std::move(staging), std::move(copies), std::move(host));
  }

  OperationPtr barrier() override { return staged(stage(0), {}, host_.barrier()); }

  std::unique_ptr<Communicator> split(const std::vector<int>& members) override {
    return std::make_unique<StagedCommunicator>(host_.split(members), context_);
  }
  std::vector<collectives::Algorithm> algorithms(graph::Collective kind) const override {
    return host_.algorithms(kind);
  }
  std::int64_t workspace_bytes(graph::Collective, collectives::Algorithm, std::int64_t, graph::DType) const override {
    return 0;
  }
  std::chrono::milliseconds timeout() const override { return host_.timeout(); }
  void check() override {
    context_->advance();
    host_.check();
  }
  SentBytes sent_bytes() const override { return host_.sent_bytes(); }
  void abort(const std::string& reason) noexcept override { host_.abort(reason); }

  std::int64_t held_bytes() const { return context_->held_bytes(); }

 private:
  StagingPtr stage(std::int64_t bytes) { return std::make_unique<Staging>(*context_, bytes); }
  OperationPtr staged(StagingPtr staging, StagedCopies copies, OperationPtr host) {
    return std::make_unique<StagedOperation>(context_, std::move(staging), std::move(copies), std::move(host));
  }

  /// Prepares a reduce-scatter if `scatters` is set, an all-gather otherwise.
  OperationPtr whole_and_part(const Parts& call, bool scatters) {
    check_call(call, size());
    const std::int64_t whole_bytes = bytes_of(total(call.counts), call.dtype);
    const Part part(call.counts, rank(), call.dtype);
    StagingPtr staging = stage(whole_bytes);
    std::byte *input = staging->at(0), *output = staging->at(part.offset);
    std::int64_t input_bytes = whole_bytes, output_bytes = part.bytes;
    if (!scatters) {
      std::swap(input, output);
      std::swap(input_bytes, output_bytes);
    }
    Parts host = call;
    host.input = input;
    host.output = output;
    host.workspace = nullptr;
    StagedCopies copies{{{input, call.input, input_bytes}}, {{call.output, output, output_bytes}}};
    return staged(std::move(staging), std::move(copies),
                  scatters ? host_.reduce_scatter(host) : host_.all_gather(host));
  }

  std::unique_ptr<Communicator> own_;
  Communicator& host_;
  std::shared_ptr<StagingContext> context_;
};

}  // namespace

std::unique_ptr<Communicator> make_staged(Communicator& host, HostCopy& copy) {
  return std::make_unique<StagedCommunicator>(host, std::make_shared<StagingContext>(copy));
}

std::int64_t staging_bytes(const Communicator& staged) {
  const auto* communicator = dynamic_cast<const StagedCommunicator*>(&staged);
  require(communicator != nullptr, "this communicator does not stage messages");
  return communicator->held_bytes();
}

}  // namespace ddlbench::comm
