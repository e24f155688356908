#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "comm/point_to_point.h"
#include "comm/scheduled_operation.h"

namespace ddlbench::comm {

/// Every operation of a Communicator by the algorithms of comm/algorithms over point-to-point messages.
/// A transport adds its name, split and abort.
class ScheduledCommunicator : public Communicator {
 public:
  /// Both outlive the communicator and its operations.
  ScheduledCommunicator(const RankContext& context, PointToPoint& point_to_point);

  int rank() const override { return point_to_point_.rank(); }
  int size() const override { return point_to_point_.size(); }

  OperationPtr all_reduce(const Reduce& call) override;
  OperationPtr reduce_scatter(const Parts& call) override;
  OperationPtr all_gather(const Parts& call) override;
  OperationPtr all_to_all(const Redistribute& call) override;
  OperationPtr broadcast(const Broadcast& call) override;
  OperationPtr exchange(std::vector<Outgoing> sends, std::vector<Incoming> receives, std::string label) override;
  OperationPtr barrier() override;

  std::int64_t workspace_bytes(graph::Collective kind, graph::Algorithm algorithm, std::int64_t count,
                               graph::DType dtype) const override;
  SentBytes sent_bytes() const override { return context_.sent.snapshot(); }

 protected:
  const RankContext& context() const { return context_; }

 private:
  OperationPtr prepare(Kind kind, const std::string& label, const StepList& list, Memories memories);

  const RankContext& context_;
  PointToPoint& point_to_point_;
};

}  // namespace ddlbench::comm
