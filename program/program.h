#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "collectives/algorithm.h"
#include "graph/graph.h"
#include "graph/stream.h"
#include "program/delayed_rate.h"
#include "program/mesh.h"

namespace ddlbench::program {

using BufferId = int;
using InstructionId = int;
inline constexpr int none = -1;

/// The purpose of a buffer: the classes of ZeRO's table and of `ranks.csv`.
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

/// A block of planned memory. A persistent buffer lives as long as the plan; it is flat, dense and unpadded. A
/// transient buffer lives from its first write to its last use within a step, at `offset` of the arena.
struct Buffer {
  std::string name;
  MemoryClass memory_class = MemoryClass::activations;
  std::int64_t bytes = 0;  ///< size of one version on the device
  bool persistent = false;
  int versions = 1;  ///< of a ring, as for weight stashing; a second version of inputs is loaded during a step
  std::int64_t offset = none;  ///< of a transient buffer in the arena; set by plan_memory
};

/// A byte range of a buffer. `age` counts versions back in a ring: 0 is the newest complete one, −1 the one being
/// written. A non-zero `stride` makes the range depend on the rank: it is shifted by `stride` bytes for each step along
/// the program's shard axis, so that one program serves all owners of equal shards.
struct View {
  BufferId buffer = none;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  int age = 0;
  std::int64_t stride = 0;
  bool operator==(const View&) const = default;
};

/// The mesh axis over whose ranks flat storage is sharded, and the coordinates on it of the ranks that run a program.
/// Nothing is sharded if the name is empty.
struct ShardAxis {
  std::string name;
  graph::Extent coordinates{0, 1};
};

/// Returns the version of a ring that `age` refers to within one iteration. Views of different slots never overlap. Age
/// −1, the version being written, takes the place of the oldest version.
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
  View workspace = {};  ///< transient, sized from the cost table by plan_memory; empty if none is needed
};

/// A collective, in which every member of the group takes part. all_reduce: input and output have the same size.
/// all_gather: the input is the own part, the output the concatenation of all parts, with sizes `counts`.
/// reduce_scatter: the reverse. The operation is in place if the views coincide (for the last two: if the part is the
/// own part of the whole). all_to_all: the input is one part for each member, with sizes `counts`; the output has one
/// part of the own size from each member.
struct CollectiveCall {
  graph::Collective kind = graph::Collective::all_reduce;
  graph::Reduction reduction = graph::Reduction::sum;
  collectives::Algorithm algorithm = {};
  Group group;
  Operand input;
  Operand output;
  std::vector<std::int64_t> counts;  ///< elements of each member's part; empty for all_reduce
  View workspace = {};               ///< as for Compute
  /// Of an all_reduce: it begins only when all but one of those in turn before it are complete.
  bool in_turn = false;
};

/// One tensor sent to or received from one rank. Messages between two ranks match in order. The checker compares `tag`
/// (tensor and micro-batch) to prove that both ends mean the same message.
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

/// Sends and receives that are posted together, complete when all of them are. Posting them one by one would deadlock
/// if two ranks posted them in opposite order.
struct Exchange {
  std::vector<Message> sends;
  std::vector<Message> receives;
};

/// A copy between device and host memory, in either direction (offloading).
struct Copy {
  View from;
  View to;
};

/// Rewrites a tensor into the layout that a kernel needs, once per version of the tensor.
struct Pack {
  Operand from;
  View to;
  std::string layout;
};

using Action = std::variant<Compute, CollectiveCall, Send, Receive, Exchange, Copy, Pack>;

/// The kind of work to which the budget attributes an instruction.
enum class Phase : std::uint8_t { forward, backward_input, backward_weight, recompute, communication, optimizer };

std::string_view name(Phase phase);

/// A dependency on `instruction`, which must complete first. If `iterations` is 1, the previous iteration of the body
/// is meant.
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
  std::vector<Dependency> after;  ///< derived from byte ranges by `order`, never written by a strategy
  /// The step to which this work belongs, counted back from the present one, whose step has left it: a kernel gets the
  /// scalars of that step.
  int steps_back = 0;
};

/// What the ranks have that hold the same part of a tensor.
enum class Copies : std::uint8_t {
  equal,
  own,   ///< every rank has values of its own, so that they are different tensors
  mean,  ///< the mean of such values, as the prologue of the evaluation left it
};

/// The location of a rank's part of a named tensor. Initial weights, checkpoints and certificates access state through
/// it. A role may hold several boxes of one tensor, and several ranks may hold the same tensor.
struct StateShard {
  std::string tensor;
  MemoryClass memory_class = MemoryClass::parameters;
  graph::TensorType whole;
  graph::Initializer initializer;
  std::vector<graph::Extent> box;  ///< within the whole tensor, one extent for each dimension
  View view;                       ///< dense
  std::string drawn_as = {};       ///< the tensor whose initial values this one shares; empty: its own
  Copies copies = Copies::equal;
};

/// A buffer that the loader fills before each step. For every micro-batch j, in order, it holds the samples
/// samples_of(plan, rank, slot, j) of the global batch (samples.h).
struct InputSlot {
  std::string tensor;  ///< name in the graph
  graph::Role role = graph::Role::input;
  Operand operand;                ///< all micro-batches of this rank, concatenated
  std::vector<std::string> axes;  ///< axes that split the batch, outermost first
};

/// A value that the host reads after a step. The total is the sum over the ranks at coordinate 0 of all
/// `replicated_axes`.
struct MetricSlot {
  std::string tensor;
  View view;
  std::vector<std::string> replicated_axes;
};

/// Instructions in issue order: an executor walks them once and starts each when the instructions in its `after` are
/// complete. Instructions of one stream start in order.
using Instructions = std::vector<Instruction>;

/// The program of one rank.
struct Program {
  std::vector<Buffer> buffers;
  Instructions prologue;
  std::vector<Instructions> bodies = std::vector<Instructions>(1);  ///< each step runs one (program/cadence.h)
  Instructions epilogue;
  std::vector<InputSlot> inputs;
  std::vector<MetricSlot> metrics;
  ShardAxis shard_axis;
  /// In a training program that keeps the loss scaler itself: graph::Scalars in a separate buffer. Kernels read them
  /// like any scalars, ordered by the compute stream alone, and an instruction writes the scaler. If empty, the host
  /// sets all scalars.
  View scalars = {};
  DelayedRate rate = {};         ///< with which a training program updates
  std::int64_t arena_bytes = 0;  ///< size of transient memory, set by plan_memory
};

/// Returns prologue, bodies and epilogue: the sections of a program, in this order. All instructions of one section are
/// complete before another begins.
std::vector<const Instructions*> sections(const Program& program);
std::vector<Instructions*> sections(Program& program);

/// Indices of sections.
inline constexpr int prologue_section = 0;
inline int body_section(int body) {
  return 1 + body;
}
int epilogue_section(const Program& program);
bool is_body(const Program& program, int section);
const Instructions& section(const Program& program, int index);
/// Returns "prologue", "body" or "epilogue"; "body 1" if there are several.
std::string section_name(const Program& program, int index);

/// A range that an instruction reads or writes. A workspace counts as written.
struct Access {
  View view;
  bool writes = false;
  bool scratch = false;  ///< a workspace: no other instruction reads what is written there
};

/// Returns the accesses of an instruction, reads first. Empty views are omitted; a view with a stride is widened by
/// reach().
std::vector<Access> accesses(const Program& program, const Instruction& instruction);

/// Returns the view at the given coordinate of the shard axis, without a stride.
View located(const View& view, std::int64_t coordinate);
/// Returns the smallest range that contains the view on every rank of the program, without a stride. Ordering and
/// memory planning use this range, so a strided write counts as a write to all of it.
View reach(const Program& program, const View& view);

}  // namespace ddlbench::program
