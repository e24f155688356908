#pragma once

#include <memory>
#include <string>
#include <vector>

#include "strategies/passes/instances.h"
#include "strategies/passes/writer.h"

namespace ddlbench::strategies {

/// What the stages of all buckets of one role have in common.
struct BucketContext {
  const FlatLayout& layout;
  const Storage& storage;
  const Shards& shards;
  const RolePosition& position;
  const graph::Optimizer& optimizer;
  Instances& instances;
  Writer& writer;
};

/// One bucket on its way through a chain of stages: what the stages so far have made of it, and what the next ones have
/// still to do.
struct BucketSite {
  const BucketContext& in;
  std::size_t index = 0;
  int microbatch = 0;
  int slice = program::none;                ///< of the bucket; none: all of it
  program::Operand whole = {};              ///< the gradient of all elements
  program::Operand part = {};               ///< of those that this rank keeps after Scatter
  program::Operand gradient = whole;        ///< the result of the stages so far: `whole` or `part`
  std::vector<std::string> partial = {};    ///< axes over which `gradient` must still be summed
  bool over_holders = false;                ///< `gradient` must still be summed over the holders of a tied parameter
  const program::Operand* norms = nullptr;  ///< norms of the bucket's tensors, where the optimizer needs them
  std::vector<program::Operand> received = {};  ///< parameters of other ranks

  const Bucket& bucket() const { return in.layout.buckets[index]; }
  /// Returns the part of the parameters that this rank updates; of the masters, if there are any.
  program::Operand own_parameters() const;
  /// Appends what sets the 16-bit parameters to changed masters.
  void refresh_parameters() const;
  /// Returns the number of ranks on the axes that split the batch.
  int data_ranks() const;
  /// Appends an instruction called "`what` bucket `index`", or "`what` slice `slice` of bucket `index`".
  void append(const std::string& what, program::Action action, program::Phase phase) const;
  /// Appends a collective over `axes`, and over the holders of the tied parameter.
  void communicate(const std::string& what, program::CollectiveCall call, std::vector<std::string> axes,
                   bool with_holders = false) const;
};

/// One thing that is done with a bucket between its gradient and the parameters of the next step.
class BucketStage {
 public:
  virtual ~BucketStage() = default;
  virtual void run(BucketSite& site) const = 0;
};

using BucketStages = std::vector<std::shared_ptr<const BucketStage>>;

inline void run(const BucketStages& stages, BucketSite& site) {
  for (const auto& stage : stages) stage->run(site);
}

/// A state of stages: f32, with an element for each parameter element.
struct StageState {
  std::string name;
  bool own = true;     ///< ranks have different values
  bool drawn = false;  ///< begins with the parameters' initial values instead of 0
};

/// All that is done with every bucket in a kind of step. Whatever distinguishes the strategies that bring gradients or
/// parameters together is in this list.
struct BucketChain {
  BucketStages begin = {};            ///< before the first forward pass
  BucketStages each_microbatch = {};  ///< on the gradient of one micro-batch; the results are added up
  BucketStages complete = {};         ///< on the gradient of the step, as soon as the bucket is complete
  BucketStages update = {};           ///< after the gradients of all buckets are final
  std::vector<StageState> states = {};
  bool completes_previous_step = false;  ///< the sums and updates that the step before has left
  bool local_gradients = false;          ///< gradients, and observations for statistics, are not summed over ranks
  /// The rank of LowRankSum's approximation, whose factors are a state, equal on all ranks; 0: there are none.
  int approximation_rank = 0;
};

}  // namespace ddlbench::strategies
