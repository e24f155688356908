#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "strategies/passes/stage_costs.h"

namespace ddlbench::strategies {

/// One entry of a rank's order: work on one chunk of the model and one micro-batch.
struct Work {
  enum class Kind : unsigned char {
    forward,
    backward,         ///< both halves
    backward_input,   ///< the half that the previous stage waits for
    backward_weight,  ///< the half that no other stage waits for
  };
  Kind kind = Kind::forward;
  int chunk = 0;  ///< index on this rank: Pipeline::stage_of
  int microbatch = 0;
  int age = 0;  ///< of its batch, in a pipeline without flush (passes/without_flush.h)
  bool operator==(const Work&) const = default;
};

/// Which stages of the model a rank has.
enum class ChunkOrder : unsigned char {
  round_robin,  ///< chunk c of rank i is stage c·p + i
  wave,  ///< odd chunks run through the ranks in reverse: chunk c of rank i is stage c·p + (p − 1 − i) for odd c
};

/// The weights that a rank uses in a pipeline without flush.
enum class WeightVersions : unsigned char {
  newest,         ///< in every pass, so that a backward pass uses newer ones than its forward pass
  corrected,      ///< in a forward pass the newest ones, in its backward pass an estimate of them by their mean change
  predicted,      ///< in a forward pass a prediction of those of the backward pass, which are the newest ones by then
  stashed,        ///< the newest ones in a forward pass, and the same ones in its backward pass
  vertical_sync,  ///< on all ranks those with which the first rank began the micro-batch
};

/// A stage of the model and the ranks that run it, each a part of the micro-batches.
struct StageRanks {
  int stage = 0;
  int first = 0;  ///< rank
  int count = 1;
};

struct Pipeline {
  int ranks = 1;   ///< of the pipeline axis, p
  int chunks = 1;  ///< of the model, per rank; unused with ranks_per_stage
  int microbatches = 1;
  ChunkOrder chunk_order = ChunkOrder::round_robin;
  StageCosts costs = {};
  /// Copies of the model, to which a rank's chunks belong in equal parts. They run the micro-batches in turn: copy i
  /// runs micro-batch m if m mod `model_copies` is i.
  int model_copies = 1;
  bool flushes = true;  ///< at the end of each step; only 1F1B with one chunk per rank can do without
  WeightVersions weights = WeightVersions::stashed;  ///< without flush
  double correction_decay = 0;                       ///< of the mean change, over as many updates as weights are older
  std::int64_t rate_steps = 0;                       ///< program::DelayedRate::steps
  /// Activations that a rank may hold, as a multiple of those of the first rank with 1F1B.
  double activation_limit = 1;
  /// The number of ranks of each stage, which run its micro-batches round-robin: rank j of the r ranks of a stage runs
  /// those with m mod r = j. So the ranks of a stage hold the copies of the model round-robin, and `model_copies` is
  /// the least common multiple of the numbers. Empty: the ranks have the chunks that `chunk_order` says.
  std::vector<int> ranks_per_stage = {};

  int stages() const { return stages_of_copy() * model_copies; }  ///< of all copies of the model: first those of copy 0
  int stages_of_copy() const;
  int chunks_of(int rank) const;
  int stage_of(int chunk, int rank) const;
  int rank_of(int stage) const;
  int copy_of(int stage) const { return stage / stages_of_copy(); }
  bool runs(int stage, int microbatch) const { return microbatch % model_copies == copy_of(stage); }

  // Where a rank has a single stage of the model:
  StageRanks stage_ranks_of(int rank) const;
  std::vector<int> microbatches_of(int rank) const;
  /// Returns the chunk that runs one of the rank's micro-batches.
  int chunk_of(int rank, int microbatch) const { return microbatch % model_copies / stage_ranks_of(rank).count; }
  /// Returns by how many forward passes the rank is ahead of its backward passes, with 1F1B: the least with which later
  /// stages never wait if a pass on r ranks takes r times as long.
  int passes_ahead(int rank) const;
  /// Returns the same in micro-batches of all ranks of the stage.
  int backward_lag(int rank) const { return passes_ahead(rank) * stage_ranks_of(rank).count; }
};

/// All that defines a pipeline schedule: a pure function that returns the order of work of a rank, or those of all
/// ranks where they follow from each other. Sends, receives, recomputation and updates are placed by the same rules for
/// all schedules.
class Schedule {
 public:
  using OfRank = std::vector<Work> (*)(const Pipeline& pipeline, int rank);
  using OfAllRanks = std::vector<std::vector<Work>> (*)(const Pipeline& pipeline);

  Schedule(OfRank order) : order_(order) {}
  Schedule(OfAllRanks orders) : order_(orders) {}

  std::vector<std::vector<Work>> orders(const Pipeline& pipeline) const;
  /// Returns whether the orders depend on the pipeline's StageCosts.
  bool uses_costs() const { return std::holds_alternative<OfAllRanks>(order_); }

 private:
  std::variant<OfRank, OfAllRanks> order_;
};

/// Returns the order without a pipeline: forward and backward of one micro-batch after another (gradient accumulation).
std::vector<Work> accumulate_schedule(const Pipeline& pipeline, int rank);

/// A schedule that a pipeline or a hybrid can name.
struct ScheduleKind {
  std::string name;
  std::string help;
  Schedule schedule;
  int chunks = 1;           ///< per rank; 0: the setting `chunks` says
  int chunks_multiple = 1;  ///< of which the setting must be a multiple
  ChunkOrder chunk_order = ChunkOrder::round_robin;
  int microbatches = 4;  ///< the default of the setting `microbatches`
  int model_copies = 1;
  bool has_activation_limit = false;  ///< the setting `activation_limit` applies
  bool has_ranks_per_stage = false;   ///< the settings `ranks_per_stage` and `plan_stages` apply

  bool has_chunks() const { return chunks == 0; }
  Pipeline pipeline(int ranks, int chunks_of_rank, int of_batch) const {
    return {ranks, chunks_of_rank, of_batch, chunk_order, {}, model_copies};
  }
};

}  // namespace ddlbench::strategies
