#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "graph/scalars.h"
#include "kernels/device.h"
#include "program/cost_table.h"
#include "program/plan.h"
#include "program/timeline.h"
#include "runtime/channels.h"

namespace ddlbench::runtime {

using Clock = std::chrono::steady_clock;  ///< the clock of timelines

enum class Mode : std::uint8_t { train, evaluate };

/// Called before an instruction runs. For tests and fault injection only.
using Hook = std::function<void(Mode, const program::Instruction&)>;
/// Called when a step of this mode is known to be complete. During the call metrics() and timeline() describe that
/// step. May throw; the exception propagates to the caller of the engine.
using OnComplete = std::function<void(Mode)>;

/// What this rank has counted since the engine was created.
struct Counters {
  std::map<program::Phase, double> flops;  ///< counted by the kernels from the sizes they are bound to
  std::int64_t launches = 0;
  std::map<program::MemoryClass, std::int64_t> allocated_bytes;  ///< persistent memory, counted by the device
  std::int64_t arena_bytes = 0;                                  ///< transient memory, counted by the device
  std::int64_t device_bytes = 0;                                 ///< all memory, counted by the device
};

/// Executes one rank's programs of a completed plan. It allocates the planned memory and nothing else (except one block
/// of scalars if the plan has none), binds every kernel and prepares every communication once, then walks the
/// instructions in issue order. It is the only code that touches tensors, and it knows no strategy. A steady step
/// allocates nothing. Exceptions of kernels and communications keep their type and name rank and instruction.
///
/// On an asynchronous device a whole step is enqueued on its streams, and events keep it in the program's order. The
/// host continues and stays one step ahead, so that the device need not wait for it. The host waits for communications
/// that it drives itself, and before a step of the other mode, whose inputs lie in the same memory. Therefore events,
/// and all host memory that a step writes, exist in two copies that alternate steps use; the index of a copy is the
/// turn of the step. Steady bodies are recorded, once for each turn, and launched as a whole unless something in them
/// needs the host.
class Engine {
 public:
  /// `channels` must span all ranks of the plan. All arguments must outlive the engine. Collective over all ranks.
  Engine(const program::Plan& plan, kernels::Device& device, const Channels& channels);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Initialises every version of every parameter, and of state that is drawn like a parameter (StateShard::drawn_as),
  /// from its initializer. Sets all other persistent memory to zero. The whole tensors are the same for any plan.
  void initialize(std::uint64_t seed);

  /// Copies a batch into the input slots before a step, and records the time as input: `values` for the graph's input,
  /// `labels` for its label, `samples` for the index of each sample in the data set. A pointer may be nullptr if this
  /// rank has no such slot. On an asynchronous device the copy runs beside the current step if slots have two versions
  /// (program::double_inputs), and after it otherwise.
  void load(Mode mode, const void* values, const std::int32_t* labels, const std::int32_t* samples = nullptr);

  /// Runs one iteration of the body that the plan's cadence has for `scalars.step`; of the only one, in an evaluation.
  /// The program of the other mode must be drained if it has a drain or an epilogue. Returns when all its instructions
  /// are complete. On an asynchronous device it returns when those of the previous step are complete, and about once a
  /// second, to align clocks, when all are. The first step, and the first after `drain`, runs the prologue first,
  /// outside the timeline's spans. The scaler in `scalars` is ignored if the program keeps its own.
  void step(Mode mode, const graph::Scalars& scalars);
  /// Waits, and runs the prologue unless it has run since the last drain(). step() does so, too, if need be.
  void begin(Mode mode);
  /// Waits until all steps are complete.
  void wait();
  void set_on_complete(OnComplete told);
  /// Waits, and runs the drain of the plan's cadence and the epilogue if there were steps since the prologue: they
  /// complete what these have left. If there is any, the state can be read and written only after that.
  void drain(Mode mode);

  /// Waits for the last step and returns this rank's share of its metrics, in the order of the graph's metrics; zero
  /// for metrics that this rank does not hold. The total is the sum over all ranks.
  std::vector<double> metrics(Mode mode) const;

  /// Waits for the last step and returns its timeline, with spans in order; valid until the next step. On an
  /// asynchronous device the times of events are read only here and at the end of each step.
  const program::StepTimeline& timeline() const;
  /// Records a span in which the caller waited for input. It becomes part of the next step's timeline, which begins
  /// with the first such span.
  void note_input(std::int64_t begin, std::int64_t end);

  /// Copies the part of a tensor that this rank holds (program::held_state) to or from dense host memory, in device
  /// order (runtime/box.h). The host values are always f32: 16-bit numbers are widened on reading and rounded to
  /// nearest on writing. For a ring, read() reads the newest version and write() writes all. Reading waits for all
  /// streams.
  void read(const program::HeldState& held, float* host) const;
  void write(const program::HeldState& held, const float* host);

  /// Returns the scaler as the last step left it, the same on all ranks; nothing if the program keeps none.
  std::optional<graph::LossScaler> scaler() const;

  const program::Plan& plan() const;
  const program::Role& role() const;
  Counters counters() const;
  /// Returns how steady steps are launched on the device: "graph", or "no graph: " and the reason.
  std::string launch_mode() const;
  /// Sets a hook, which prevents recording.
  void set_hook(Hook before);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the workspace sizes that program::complete has to plan. Each rank queries `device` for its own ops, and its
/// groups for their collectives; all ranks agree on the maximum for each key, so that they plan alike. Collective over
/// all ranks of the plan.
program::CostTable workspace_costs(const program::Plan& plan, kernels::Device& device, const Channels& channels);

}  // namespace ddlbench::runtime
