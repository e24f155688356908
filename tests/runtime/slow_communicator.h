#pragma once

#include <chrono>
#include <memory>

#include "comm/communicator.h"

namespace ddlbench::test {

/// A communicator whose all-reduces stay in flight for `delay` longer, as over a slow link.
class SlowCommunicator final : public comm::Communicator {
 public:
  SlowCommunicator(comm::Communicator& inner, const std::chrono::milliseconds& delay) : inner_(&inner), delay_(delay) {}
  SlowCommunicator(std::unique_ptr<comm::Communicator> inner, const std::chrono::milliseconds& delay)
      : owned_(std::move(inner)), inner_(owned_.get()), delay_(delay) {}

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  std::string transport() const override { return inner_->transport(); }
  comm::OperationPtr all_reduce(const comm::Reduce& call) override;
  comm::OperationPtr reduce_scatter(const comm::Parts& call) override { return inner_->reduce_scatter(call); }
  comm::OperationPtr all_gather(const comm::Parts& call) override { return inner_->all_gather(call); }
  comm::OperationPtr all_to_all(const comm::Redistribute& call) override { return inner_->all_to_all(call); }
  comm::OperationPtr broadcast(const comm::Broadcast& call) override { return inner_->broadcast(call); }
  comm::OperationPtr exchange(std::vector<comm::Outgoing> sends, std::vector<comm::Incoming> receives,
                              std::string label) override {
    return inner_->exchange(std::move(sends), std::move(receives), std::move(label));
  }
  comm::OperationPtr barrier() override { return inner_->barrier(); }
  std::unique_ptr<comm::Communicator> split(const std::vector<int>& members) override {
    return std::make_unique<SlowCommunicator>(inner_->split(members), delay_);
  }
  std::vector<collectives::Algorithm> algorithms(graph::Collective kind) const override {
    return inner_->algorithms(kind);
  }
  std::int64_t workspace_bytes(graph::Collective kind, collectives::Algorithm algorithm, std::int64_t count,
                               graph::DType dtype) const override {
    return inner_->workspace_bytes(kind, algorithm, count, dtype);
  }
  std::chrono::milliseconds timeout() const override { return inner_->timeout(); }
  comm::SentBytes sent_bytes() const override { return inner_->sent_bytes(); }
  void abort(const std::string& reason) noexcept override { inner_->abort(reason); }

 private:
  std::unique_ptr<comm::Communicator> owned_;
  comm::Communicator* inner_;
  const std::chrono::milliseconds& delay_;  ///< may change between steps
};

}  // namespace ddlbench::test
