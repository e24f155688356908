#pragma once

#include <string>
#include <vector>

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
  int chunk = 0;  ///< index on this rank; chunk c of rank i is stage c·ranks + i of the model
  int microbatch = 0;
  bool operator==(const Work&) const = default;
};

struct Pipeline {
  int stages = 1;  ///< ranks of the pipeline axis
  int chunks = 1;  ///< per rank, for an interleaved schedule
  int microbatches = 1;
};

/// Returns the order of work of a pipeline rank: all that defines a pipeline schedule. A pure function. Sends,
/// receives, recomputation and updates are placed by the same rules for all schedules.
using Schedule = std::vector<Work> (*)(const Pipeline& pipeline, int rank);

/// Returns the order without a pipeline: forward and backward of one micro-batch after another (gradient accumulation).
std::vector<Work> accumulate_schedule(const Pipeline& pipeline, int rank);

/// A schedule that a pipeline or a hybrid can name.
struct ScheduleKind {
  std::string name;
  std::string help;
  Schedule schedule;
  bool has_chunks = false;  ///< runs several chunks of the model on each rank
};

}  // namespace ddlbench::strategies
