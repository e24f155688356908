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

using Clock = std::chrono::steady_clock;  ///< of timelines

enum class Mode : std::uint8_t { train, evaluate };

/// Called before an instruction runs, by tests and fault injection alone.
using Hook = std::function<void(Mode, const program::Instruction&)>;
/// Called when a step of this mode is known to be complete: metrics() and timeline() are that step's meanwhile. May
/// throw; whoever caused the call gets what it throws.
using OnComplete = std::function<void(Mode)>;

/// What this rank has counted since it began.
struct Counters {
  std::map<program::Phase, double> flops;  ///< by the kernels, from the sizes they are bound to
  std::int64_t launches = 0;
  std::map<program::MemoryClass, std::int64_t> handed_out_bytes;  ///< by the device, persistent memory
  std::int64_t arena_bytes = 0;                                   ///< by the device, transient memory
  std::int64_t device_bytes = 0;                                  ///< by the device, in all
};

/// Executes one rank's programs of a completed plan: allocates what was planned and nothing else (one
/// block of scalars aside, where none is planned), binds every kernel and prepares every communication once, then
/// walks the instructions in issue order. The only code that touches tensors; knows no strategy. A steady step
/// allocates nothing. What a kernel or a communication throws keeps its type and names rank and instruction.
///
/// On an asynchronous device all of a step is put on its streams, which marks keep in the program's order, and the
/// host goes on: it is one step ahead, so that the device need not wait for it. It waits for communications that it
/// drives itself, and before a step of the other mode, whose inputs lie in the same memory. Two turns of whatever a
/// step leaves in host memory, and of marks, follow from that. Steady bodies are recorded, once for each turn, and run
/// as one where nothing in them wants the host.
class Engine {
 public:
  /// `channels` span all ranks of the plan. All outlive the engine. Collective over all ranks.
  Engine(const program::Plan& plan, kernels::Device& device, const Channels& channels);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Every parameter (all its versions) from its initializer, and so whatever is drawn as a parameter (StateShard), all
  /// other persistent memory zero. The same whole tensors for any plan.
  void initialize(std::uint64_t seed);

  /// Copies a batch into the input slots before a step, and notes the time as input: `values` of the
  /// graph's input, `labels` of its label, `samples` of each sample's index in the data set. Each may be nullptr where
  /// this rank has no such slot. To an asynchronous device that is beside the step that it is at, where slots have two
  /// versions (program::double_inputs), else after that.
  void load(Mode mode, const void* values, const std::int32_t* labels, const std::int32_t* samples = nullptr);

  /// One iteration of the body. Returns when all its instructions are complete; on an asynchronous device when those of
  /// the step before are, and about once a second, to align clocks, when all are. The first, and the first after
  /// `drain`, runs the prologue before it (outside the timeline's spans). The scaler among the scalars does not count
  /// where the program keeps one.
  void step(Mode mode, const graph::Scalars& scalars);
  /// Returns when all steps are complete.
  void wait();
  void set_on_complete(OnComplete told);
  /// Waits, and runs the epilogue if there were steps since the last: what is in a pipeline comes out of it.
  void drain(Mode mode);

  /// This rank's share of the metrics of the last step, for which it waits, in the order of the graph's metrics; zero
  /// where it holds none. The whole is the sum over all ranks.
  std::vector<double> metrics(Mode mode) const;

  /// The last step, for which it waits, spans in order. Valid until the next step. Of an asynchronous device marks are
  /// asked for their times here, and nowhere else but for the end of each step.
  const program::StepTimeline& timeline() const;
  /// Records the caller's own stretch (waiting for input) into the next step's timeline, which begins
  /// with the first such stretch.
  void note_input(std::int64_t begin, std::int64_t end);

  /// What this rank has of a named tensor (program::held_state) to or from dense host memory, in the order in which it
  /// lies (runtime/box.h), and f32 whatever the tensor is: numbers of 16 bits are widened, and rounded to the nearest.
  /// Of a ring the newest version is read, and all are written. Reading waits for all streams.
  void read(const program::HeldState& held, float* host) const;
  void write(const program::HeldState& held, const float* host);

  /// As the last step left it; nothing where the program keeps none. The same on all ranks.
  std::optional<graph::LossScaler> scaler() const;

  const program::Plan& plan() const;
  const program::Role& role() const;
  Counters counters() const;
  /// How steady steps are put on the device: "graph", or "no graph: " and why.
  std::string launch_mode() const;
  /// Forbids recording.
  void set_hook(Hook before);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What program::complete has to plan as workspace: each rank asks `device` for its own ops and the groups
/// that it belongs to for its collectives, and all agree on the largest answer to each, so that they plan
/// alike. Collective over all ranks of the plan.
program::CostTable workspace_costs(const program::Plan& plan, kernels::Device& device, const Channels& channels);

}  // namespace ddlbench::runtime
