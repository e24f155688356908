#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/ops/codecs/kind.h"
#include "program/mesh.h"
#include "strategies/passes/balance.h"
#include "strategies/passes/buckets.h"
#include "strategies/passes/partition.h"
#include "strategies/passes/recompute.h"
#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// What a mesh axis splits between its ranks.
enum class Use : std::uint8_t { stages, replicas, batch, features };

/// Returns the name of the axis of `use`: "pipeline", "replica", "data", "tensor".
std::string axis_name(Use use);

/// Returns whether the ranks of the axis have different samples: "replica" and "data".
bool splits_batch(const std::string& axis);

/// The number of ranks of each axis; 1 where the axis is not used. Both `replicas` and `batch` split the batch: in data
/// parallelism over several nodes, `replicas` is the number of nodes and `batch` the number of ranks of a node.
struct MeshSpec {
  int stages = 1, replicas = 1, batch = 1, features = 1;

  int data_ranks() const { return replicas * batch; }

  /// Returns the mesh of the axes whose size is not 1, in the order of Use, the last one fastest. Throws InputError for
  /// a size below 1, and for more ranks than fit an int.
  program::Mesh mesh() const;
};

struct BatchSpec {
  int microbatches = 1;  ///< parts of a batch, processed one after another
  /// Of the data-parallel ranks, to which their shares of each micro-batch are proportional; empty: equal shares.
  std::vector<std::int64_t> speeds;
};

struct PipelineSpec {
  Schedule schedule = accumulate_schedule;
  ChunkOrder chunk_order = ChunkOrder::round_robin;
  int chunks = 1;                                    ///< of the model, per rank
  int model_copies = 1;                              ///< where there are several ranks and as many micro-batches
  bool flushes = true;                               ///< where there are several ranks
  WeightVersions weights = WeightVersions::stashed;  ///< without flush
  double correction_decay = 0;                       ///< Pipeline::correction_decay
  std::int64_t rate_steps = 0;                       ///< Pipeline::rate_steps
  double activation_limit = 1;                       ///< Pipeline::activation_limit
  Balance balance = Balance::time;                   ///< of the stages
  std::vector<int> ranks_per_stage;  ///< Pipeline::ranks_per_stage, each of which divides the micro-batches
  bool plans_stages = false;         ///< they are chosen for the model
};

/// Returns a pipeline under `kind`, with `chunks` where the kind leaves them open.
PipelineSpec pipeline_of(const ScheduleKind& kind, int chunks);

struct SyncSpec {
  bool overlap = true;        ///< reduce a bucket as soon as its last gradient is ready
  bool hierarchical = false;  ///< reduce within `batch` before `replicas`, and gather again
  bool bucket_per_layer = false;
  std::optional<graph::DType> wire = {};   ///< type of the gradients that ranks send each other; empty: their own
  std::optional<graph::Codec> codec = {};  ///< how gradients are compressed; empty: they are not
  bool feedback = false;                   ///< what the codec loses is added to the next gradient
  double momentum_correction = 0;          ///< ranks encode velocities with this momentum; 0: gradients
  std::int64_t warm_up_steps = 0;          ///< first steps, in which a codec's density falls to its value
  int approximation_rank = 0;              ///< of PowerSGD; 0: gradients are not approximated
  double cycle_milliseconds = 0;           ///< of Horovod's negotiations; 0: nothing is negotiated
  bool priority = false;                   ///< gradients are summed in the order in which the next step needs them
  std::int64_t slice_bytes = 0;            ///< largest part of a gradient that one collective sums, with priority
  double link_bytes_per_second = 0;        ///< assumed for that order, and to balance the stages of a pipeline
  BucketSizes buckets;
};

/// How the data-parallel ranks bring their weights together, where they do not sum gradients.
struct WeightsSpec {
  enum class Kind : std::uint8_t { equal, mean, block_momentum, elastic, ring, exponential, random };
  Kind kind = Kind::equal;
  // Of averaging over all ranks:
  std::int64_t every = 1;              ///< steps
  std::int64_t synchronous_steps = 0;  ///< before the first step with own weights
  bool averages_states = false;        ///< of the optimizer
  double momentum = 0, rate = 1;       ///< of block_momentum
  bool nesterov = false;
  double strength = 0;    ///< of elastic
  std::int64_t seed = 0;  ///< of random

  bool own() const { return kind != Kind::equal; }  ///< ranks have different weights
  bool gossips() const { return kind == Kind::ring || kind == Kind::exponential || kind == Kind::random; }
};

/// All decisions of a strategy, which is all that the passes know of it: one member for each facet (facets/facet.h).
/// Every named strategy is a preset of some facets (preset.h); `hybrid` leaves all of them open.
struct StrategySpec {
  MeshSpec mesh;
  BatchSpec batch;
  PipelineSpec pipeline;
  SyncSpec sync;
  WeightsSpec weights;
  Partition state;  ///< ZeRO, over the ranks of the data axis
  Recomputation memory;

  Pipeline timing() const {
    const bool several = mesh.stages > 1 && batch.microbatches >= pipeline.model_copies;
    const int copies_of_kind = several ? pipeline.model_copies : 1;
    const int chunks = pipeline.chunks * copies_of_kind / pipeline.model_copies;
    const std::vector<int>& per_stage = pipeline.ranks_per_stage;
    const int copies = std::accumulate(per_stage.begin(), per_stage.end(), copies_of_kind, std::lcm<int, int>);
    const bool flushes = pipeline.flushes || mesh.stages == 1 || per_stage.size() == 1;
    return {.ranks = mesh.stages,
            .chunks = chunks,
            .microbatches = batch.microbatches,
            .chunk_order = pipeline.chunk_order,
            .model_copies = copies,
            .flushes = flushes,
            .weights = pipeline.weights,
            .correction_decay = pipeline.correction_decay,
            .rate_steps = pipeline.rate_steps,
            .activation_limit = pipeline.activation_limit,
            .ranks_per_stage = pipeline.ranks_per_stage};
  }
};

}  // namespace ddlbench::strategies
