#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "comm/point_to_point.h"
#include "comm/schedule.h"
#include "comm/scheduled_operation.h"

namespace ddlbench::comm {

/// A communicator that implements every operation by the steps of collectives/ over point-to-point messages. The
/// messages go through the rank's throttled link if it has one. A transport adds its name, split and abort.
class ScheduledCommunicator : public Communicator {
 public:
  /// Both arguments must outlive the communicator and its operations.
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

  std::vector<collectives::Algorithm> algorithms(graph::Collective kind) const override;
  std::int64_t workspace_bytes(graph::Collective kind, collectives::Algorithm algorithm, std::int64_t count,
                               graph::DType dtype) const override;
  std::chrono::milliseconds timeout() const override { return context_.timeout; }
  void check() override { context_.failure.rethrow(); }
  SentBytes sent_bytes() const override { return context_.sent.snapshot(); }

 protected:
  OperationPtr operation(std::unique_ptr<Task> task) const;
  const RankContext& context() const { return context_; }
  /// Returns the world ranks of the members of a new group; `all` are the world ranks of this group. Throws
  /// ContractError unless the members are in this group, each once, and include this rank.
  std::vector<int> world_ranks_of(const std::vector<int>& members, const std::vector<int>& all) const;

 private:
  OperationPtr prepare(Kind kind, const std::string& label, const collectives::Steps& steps, Memories memories,
                       bool in_turn = false);
  /// Returns the steps of this rank. Throws InputError if the algorithm is not available.
  collectives::Steps steps_of(graph::Collective kind, collectives::Algorithm algorithm,
                              const collectives::Payload& payload) const;

  const RankContext& context_;
  std::unique_ptr<PointToPoint> throttled_;
  PointToPoint& point_to_point_;
};

/// Returns the message of an exception.
std::string describe(const std::exception_ptr& exception);

}  // namespace ddlbench::comm
