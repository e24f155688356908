#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "collectives/algorithm.h"
#include "graph/graph.h"
#include "graph/stream.h"
#include "program/mesh.h"

namespace ddlbench::program {

using BufferId = int;
using InstructionId = int;
inline constexpr int none = -1;

/// What memory is for: the classes of ZeRO's table and of `ranks.csv`.
enum class MemoryClass : std::uint8_t {
  parameters,
  gradients,
  optimizer_state,
  activations,
  workspace,
  communication,
  inputs,
  metrics,
  packed,
  statistics
};
inline constexpr int memory_classes = 10;

std::string_view name(MemoryClass memory_class);

/// Planned memory. A persistent buffer lives as long as the plan and is flat, dense and unpadded;
/// a transient one lives from its first write to its last use within a step, at `offset` of the arena.
struct Buffer {
  std::string name;
  MemoryClass memory_class = MemoryClass::activations;
  std::int64_t bytes = 0;  ///< device bytes of one version
  bool persistent = false;
  int versions = 1;            ///< a ring: weight stashing keeps several; of inputs one is loaded beside a step
  std::int64_t offset = none;  ///< transient: place in the arena, set by plan_memory
};

/// A byte range of a buffer. `age` counts versions back in a ring: 0 is the newest complete one, −1 the
/// one being written. With a stride the range is another on each rank: it begins `stride` bytes further for
/// each step along the program's shard axis, so that one program serves all owners of equal shards.
struct View {
  BufferId buffer = none;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  int age = 0;
  std::int64_t stride = 0;
  bool operator==(const View&) const = default;
};

/// The mesh axis over whose ranks flat storage is cut into shards, and the coordinates on it of the ranks
/// that run a program. Without a name nothing is cut.
struct ShardAxis {
  std::string name;
  graph::Extent coordinates{0, 1};
};

/// Which version of a ring `age` names within one iteration: views of different slots never overlap. −1, the
/// version being written, lies where the oldest was.
int version_slot(const Buffer& buffer, int age);

/// A dense tensor in memory.
struct Operand {
  View view;
  graph::TensorType type;
};

std::vector<graph::TensorType> types_of(const std::vector<Operand>& operands);

/// Runs an op on tensors in memory.
struct Compute : graph::Computation {
  std::vector<Operand> inputs = {};
  std::vector<Operand> outputs = {};
  View workspace = {};  ///< transient, sized from the cost table by plan_memory; empty where none is wanted
};

/// Every member of the group takes part. all_reduce: input and output alike. all_gather: input is the
/// own part, output the `counts`' parts one after another. reduce_scatter: the reverse. In place where
/// the views coincide (for the last two: where the part is the own part of the whole).
struct CollectiveCall {
  graph::Collective kind = graph::Collective::all_reduce;
  graph::Reduction reduction = graph::Reduction::sum;
  collectives::Algorithm algorithm = {};
  Group group;
  Operand input;
  Operand output;
  std::vector<std::int64_t> counts;  ///< elements of each member's part; empty for all_reduce
  View workspace = {};               ///< as of Compute
};

/// One tensor to or from one rank. Messages between two ranks match in order; `tag` (tensor and
/// micro-batch) lets the checker prove that they are the same.
struct Message {
  Peer peer;
  Operand operand;
  int tag = 0;
};
struct Send {
  Message message;
};
struct Receive {
  Message message;
};

/// Sends and receives posted together: complete when all are. Posting them one by one would deadlock
/// where two ranks do so in opposite order.
struct Exchange {
  std::vector<Message> sends;
  std::vector<Message> receives;
};

/// Device to host memory or back (offloading).
struct Copy {
  View from;
  View to;
};

/// Rewrites a tensor into the form that a kernel wants, once per version of it.
struct Pack {
  Operand from;
  View to;
  std::string layout;
};

using Action = std::variant<Compute, CollectiveCall, Send, Receive, Exchange, Copy, Pack>;

/// What a moment of a step is spent on, as the budget counts it.
enum class Phase : std::uint8_t { forward, backward_input, backward_weight, recompute, communication, optimizer };

std::string_view name(Phase phase);

/// `instruction` must be complete before; with `iterations` 1, that of the body's previous iteration.
struct Dependency {
  InstructionId instruction = none;
  int iterations = 0;
  bool operator==(const Dependency&) const = default;
};

struct Instruction {
  std::string name;
  Action action;
  graph::Stream stream = graph::Stream::compute;
  Phase phase = Phase::forward;
  int microbatch = 0;
  int stage = 0;
  std::vector<Dependency> after;  ///< derived from the ranges by `order`, never written by a strategy
};

/// Where a rank's part of a named tensor lies: how initial weights, checkpoints and certificates reach it.
/// A role may hold several boxes of one tensor, and a tensor may have several holders.
struct StateShard {
  std::string tensor;
  MemoryClass memory_class = MemoryClass::parameters;
  graph::TensorType whole;
  graph::Initializer initializer;
  std::vector<graph::Extent> box;  ///< of the whole, one extent per dimension
  View view;                       ///< dense
  std::string drawn_as = {};       ///< the tensor whose initial values it has; empty: its own
};

/// A buffer that the loader fills before each step: of every micro-batch j, in order, the samples
/// part_of(part_of(global batch, micro-batches, j), parts, index), where parts and index come from this
/// rank's coordinates on `axes`. A stage of any degree so sees the same samples in micro-batch j.
struct InputSlot {
  std::string tensor;  ///< name in the graph
  graph::Role role = graph::Role::input;
  Operand operand;                ///< all micro-batches of this rank, one after another
  std::vector<std::string> axes;  ///< that share the batch, outermost first
};

/// A value that the host reads after a step. Ranks at coordinate 0 of all `replicated_axes` count; the
/// whole is the sum over them.
struct MetricSlot {
  std::string tensor;
  View view;
  std::vector<std::string> replicated_axes;
};

/// What one rank does. Instructions are in issue order: an executor walks them once, and starts each
/// when the instructions that it is `after` are complete; on one stream they start in order.
struct Program {
  std::vector<Buffer> buffers;
  std::vector<Instruction> prologue;
  std::vector<Instruction> body;  ///< once per step
  std::vector<Instruction> epilogue;
  std::vector<InputSlot> inputs;
  std::vector<MetricSlot> metrics;
  ShardAxis shard_axis;
  /// Of training, where it keeps the loss scaler itself: graph::Scalars in a buffer of its own. Kernels read them as
  /// any scalars, ordered by the compute stream alone; what writes the scaler is an instruction. Empty: the host sets
  /// all.
  View scalars = {};
  std::int64_t arena_bytes = 0;  ///< transient memory, set by plan_memory
};

inline constexpr std::array<const char*, 3> section_names{"prologue", "body", "epilogue"};

/// Prologue, body and epilogue, in the order in which they run.
inline std::array<const std::vector<Instruction>*, 3> sections(const Program& program) {
  return {&program.prologue, &program.body, &program.epilogue};
}
inline std::array<std::vector<Instruction>*, 3> sections(Program& program) {
  return {&program.prologue, &program.body, &program.epilogue};
}

/// The ranges that an instruction reads and writes (workspace included, as written).
struct Access {
  View view;
  bool writes = false;
  bool scratch = false;  ///< a workspace: what is written is never read by another instruction
};

/// Reads first. Empty views are left out; a view with a stride stands for all ranges that it is on some rank.
std::vector<Access> accesses(const Program& program, const Instruction& instruction);

/// The view as it lies at a coordinate of the shard axis; without a stride.
View located(const View& view, std::int64_t coordinate);
/// The least range that holds the view on every rank of the program; without a stride. What orders accesses
/// and plans memory sees this; so a strided write counts as a write of all of it.
View reach(const Program& program, const View& view);

}  // namespace ddlbench::program
