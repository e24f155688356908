#pragma once

#include <cstdint>
#include <queue>
#include <string>
#include <vector>

#include "simulator/network.h"
#include "simulator/processors.h"
#include "simulator/script.h"

namespace ddlbench::simulator {

std::int64_t nanoseconds(double seconds);

/// A discrete-event simulation of all ranks of a plan. Events run in the order of their times, and events of equal time
/// in the order in which they were created.
class Machine {
 public:
  Machine(const program::Plan& plan, const program::CostTable& costs, const Cluster& cluster, const Options& options);

  /// Runs to the end. Throws ContractError if the ranks stall before that.
  Simulation run();

 private:
  /// The state of a lane of one rank.
  struct LaneState {
    std::size_t next = 0;  ///< index of the lane's next instruction
    std::size_t wait = 0;  ///< index of the next entry of Section::waits; at the end of the lane, of Section::at_end
    program::InstructionId waiting_for = program::none;
    bool busy = false;  ///< the lane's instruction has started, and the lane has not moved on yet
    bool ended = false;
    double since = 0;  ///< when the current activity or wait began
  };
  struct InstructionState {
    double started = 0;
    int parts = 0;  ///< parts of a communication that are not complete yet
    bool complete = false;
  };
  struct RankState {
    const Script* script = nullptr;
    std::vector<std::vector<int>> targets;  ///< by section
    int section = program::prologue_section;
    int iteration = -1;  ///< of the bodies
    bool ended = false;
    bool loads = false;  ///< is loading its input on its cores
    std::vector<LaneState> lanes;
    std::vector<InstructionState> instructions;
    std::vector<program::InstructionId> deferred;  ///< communications that were started but that no core has moved yet
    program::InstructionId last_complete = program::none;
  };
  struct Event {
    enum class Kind : std::uint8_t {
      begin,  ///< rank: the input of a step is available
      lane,   ///< rank, lane: the instruction no longer occupies the lane
      part,   ///< rank, instruction: one part of a communication is complete
      host,   ///< host, version: the next computation on shared cores ends
    };
    double time = 0;
    std::uint64_t order = 0;
    Kind kind = Kind::begin;
    int first = 0;
    std::uint64_t second = 0;
    bool operator>(const Event& other) const { return time != other.time ? time > other.time : order > other.order; }
  };

  void push(double time, Event::Kind kind, int first, std::uint64_t second = 0);
  void handle(const Event& event);
  std::string standing() const;

  // Moving a rank from section to section.
  void enter(int rank, double now);
  void begin_step(int rank, double now);
  void start_section(int rank, double now);
  void enter_next(int rank, double now);  ///< moves on to the next section if all lanes have ended
  void leave(int rank, double now);

  // Moving a lane from instruction to instruction.
  void advance(int rank, std::size_t lane, double now);
  bool must_wait(int rank, std::size_t lane, const std::vector<program::InstructionId>& waits, std::size_t end,
                 double now);
  void start(int rank, std::size_t lane, program::InstructionId id, double now);
  void start_communication(int rank, program::InstructionId id, double now);
  void move_messages(int rank, double now);
  /// Occupies the rank's cores for `seconds`, or longer if they are shared. The event `done` follows.
  void compute(int rank, double seconds, double now, Event::Kind done, std::uint64_t which = 0);
  void compute_next(int host, double now);
  void finish_instruction(int rank, std::size_t lane, double now);
  void complete_part(int rank, program::InstructionId id, double now);
  void complete(int rank, program::InstructionId id, double now);
  void span(int rank, std::size_t lane, program::Activity activity, program::InstructionId id, double begin,
            double end);

  const Section& section_of(const RankState& state) const { return state.script->sections[index(state.section)]; }
  /// Returns the body that the rank's present step, or its drain, runs; `none` after these.
  int body_of(const RankState& state) const;
  /// Returns the timeline of the rank's present step, or null unless it is reported.
  program::StepTimeline* reported(int rank);
  const program::Plan& plan_;
  const Cluster& cluster_;
  const Options& options_;
  const int reported_steps_;     ///< the last ones
  const int steps_;              ///< all
  std::vector<Script> scripts_;  ///< by role
  Routes routes_;
  Network network_;
  Processors processors_;
  std::vector<RankState> ranks_;
  std::vector<std::uint64_t> versions_;  ///< by host: version of its next event
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::vector<Network::Arrival> arrivals_;
  Simulation result_;
};

}  // namespace ddlbench::simulator
