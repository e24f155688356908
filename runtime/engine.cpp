#include "runtime/engine.h"

#include <fmt/core.h>
#include <utility>

#include "base/error.h"
#include "program/actions.h"
#include "runtime/clock_alignment.h"
#include "runtime/draw.h"
#include "runtime/floats.h"
#include "runtime/host_memory.h"
#include "runtime/prepared.h"
#include "runtime/recorder.h"
#include "runtime/rethrow.h"
#include "runtime/sequence.h"
#include "runtime/step_scalars.h"
#include "runtime/storage.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

/// The first steps of a body warm up libraries, and are not recorded.
constexpr std::int64_t unrecorded_steps = 2;

Mode other(Mode mode) {
  return mode == Mode::train ? Mode::evaluate : Mode::train;
}

}  // namespace

struct Engine::State {
  State(const Plan& p, kernels::Device& d, const Channels& c)
      : plan(p),
        role(p.role(c.host.rank())),
        rank(c.host.rank()),
        device(d),
        channels(c),
        shard_at(shard_coordinate(p, rank)),
        storage(role, d),
        alignment(d),
        scalars(d, role.train, storage.at(role.train, role.train.scalars, {})),
        communicators(p, c.device),
        kernels(d),
        train(role.train, metric_shares(p, &Role::train, rank), rank, d, d.asynchronous() ? 2 : 1,
              StepScalars::pinned_bytes(d, role.train)),
        evaluate(role.evaluate, metric_shares(p, &Role::evaluate, rank), rank, d, d.asynchronous() ? 2 : 1,
                 StepScalars::pinned_bytes(d, role.train)) {
    for (PreparedProgram* prepared : {&train, &evaluate}) prepare(*prepared);
  }

  /// Device memory can be released only when the streams are idle, and a stream may be waiting for a peer. Waits for
  /// the running step until its timeout, and aborts the communication if that fails.
  ~State() {
    try {
      if (running) of(running->mode).turns[running->turn].ran->complete();
    } catch (...) {
      if (channels.route == Route::stream) channels.device.abort(fmt::format("rank {} failed", rank));
    }
  }

  void prepare(PreparedProgram& prepared) {
    const Program& program = prepared.program;
    for (std::int64_t position = 0; position < storage.period(); ++position) {
      SharedOperations operations;
      for (std::size_t turn = 0; turn < prepared.turns.size(); ++turn) {
        const RingPosition at{position, static_cast<std::int64_t>(turn)};
        const Preparation preparation{
            plan,
            program,
            device,
            channels,
            kernels,
            communicators,
            operations,
            scalars,
            [this, &program, at](const View& view) { return storage.at(program, located(view, shard_at), at); }};
        std::vector<SectionSequences>& prepared_sections = prepared.turns[turn].sections;
        const auto all = sections(program);
        prepared_sections.resize(all.size());
        for (std::size_t s = 0; s < all.size(); ++s)
          prepared_sections[s].push_back(make_sequence(*all[s], preparation));
      }
    }
    for (const Instructions* section : sections(program))
      for (Recorder* either : {&recorder, &unrecorded})
        either->reserve(section->size(), count_communications(*section));
  }

  PreparedProgram& of(Mode mode) { return mode == Mode::train ? train : evaluate; }

  Sequence& now_of(const Turn& turn, int section) const {
    return *turn.sections[static_cast<std::size_t>(section)][static_cast<std::size_t>(trained % storage.period())];
  }

  /// Runs a sequence and fetches the metrics. `after` is the number of training steps by then, which determines the
  /// ring versions in which the metrics lie.
  void issue(Sequence& sequence, const Run& run, std::size_t turn, std::int64_t after) {
    sequence.issue(run);
    PreparedProgram& prepared = of(run.mode);
    const Place place{storage, prepared.program, {after, static_cast<std::int64_t>(turn)}};
    prepared.metrics.fetch([&place](const View& view) { return place.of(view); }, turn);
    sequence.close();
  }

  /// Prologue and epilogue leave no timeline, because the instructions of a timeline are those of the body.
  void run_unrecorded(Sequence& sequence, StepOf step) {
    unrecorded.begin({}, 0);
    issue(sequence, {step.mode, hook, unrecorded, launched}, step.turn, trained);
    sequence.complete();
  }

  void run_prologue(StepOf step) {
    PreparedProgram& prepared = of(step.mode);
    if (prepared.steps_since_prologue) return;
    run_unrecorded(now_of(prepared.turns[step.turn], prologue_section), step);
    prepared.steps_since_prologue = 0;
  }

  /// Runs a body that completes what steps have left, and belongs to none.
  void run_drain(int body) {
    scalars.advance(train.turns[train.last()].scalars);
    run_unrecorded(now_of(train.turns[train.last()], body_section(body)), {Mode::train, train.last()});
    ++trained;
  }

  void issue_body(StepOf step, int body) {
    PreparedProgram& prepared = of(step.mode);
    Turn& turn = prepared.turns[step.turn];
    turn.ran = &now_of(turn, body_section(body));
    std::int64_t& runs = prepared.runs_of_body[static_cast<std::size_t>(body)];
    const bool repeats = step.mode == Mode::evaluate || plan.cadence.repeats(body);
    const bool record = !hook && repeats && runs >= unrecorded_steps;
    if (record && turn.ran->records_next()) wait();
    ++prepared.steps;
    ++*prepared.steps_since_prologue;
    ++runs;
    issue(*turn.ran, {step.mode, hook, recorder, launched, record}, step.turn,
          trained + (step.mode == Mode::train ? 1 : 0));
    if (step.mode == Mode::train) ++trained;
  }

  /// Waits for a step, and reports it to `on_complete`.
  void complete(StepOf step) {
    Turn& turn = of(step.mode).turns[step.turn];
    try {
      turn.ran->complete();
    } catch (...) {
      fail();
    }
    if (device.asynchronous()) recorder.begin(turn.begun, ended);
    recorder.end(turn.ran->ended());
    ended = recorder.step().end;
    completed = step;
    written = false;
    if (!on_complete) return;
    reporting = true;
    try {
      on_complete(step.mode);
    } catch (...) {
      reporting = false;
      throw;
    }
    reporting = false;
  }

  /// What steps have left undone must not be mistaken for the state, nor happen later than it should.
  void require_drained(Mode mode) {
    const PreparedProgram& prepared = of(mode);
    const bool leaves_work = !prepared.program.epilogue.empty() || (mode == Mode::train && !plan.cadence.drain.empty());
    require(!leaves_work || prepared.steps_since_prologue.value_or(0) == 0, "the {} program must be drained first",
            mode == Mode::train ? "training" : "evaluation");
  }

  /// Waits for the step that the device is running.
  void wait() {
    if (running) complete(*std::exchange(running, std::nullopt));
  }

  /// Steps and inputs of the two modes share memory, so a step of the other mode must be complete first.
  void wait_for_other(Mode mode) {
    if (running && running->mode != mode) wait();
  }

  const StepTimeline& timeline() {
    if (!reporting) wait();
    if (completed && !std::exchange(written, true)) {
      PreparedProgram& prepared = of(completed->mode);
      prepared.turns[completed->turn].ran->write(recorder, prepared.inputs.event(completed->turn));
    }
    return recorder.step();
  }

  /// Rethrows the current exception with the rank. Device memory can be released only when the streams are idle, so a
  /// communication for which a stream may be waiting is aborted.
  [[noreturn]] void fail() {
    const std::string who = fmt::format("rank {}", rank);
    if (channels.route == Route::stream) channels.device.abort(who + " failed");
    rethrow_in(who);
  }

  std::byte* place_of(const HeldState& held, std::int64_t trained_steps) const {
    const StateShard& shard = *held.shard;
    require(held.view.bytes == held.elements.size() * static_cast<std::int64_t>(graph::size_of(shard.whole.dtype)),
            "state '" + shard.tensor + "': a piece differs in size from its elements");
    return storage.at(role.train, held.view, {trained_steps, 0});
  }

  const Plan& plan;
  const Role& role;
  int rank;
  kernels::Device& device;
  Channels channels;
  int shard_at;  ///< this rank's coordinate on the shard axis
  Storage storage;
  ClockAlignment alignment;
  StepScalars scalars;
  Communicators communicators;
  KernelCache kernels;
  Recorder recorder;
  Recorder unrecorded;
  Launched launched;
  Hook hook;
  PreparedProgram train;
  PreparedProgram evaluate;
  OnComplete on_complete;
  bool reporting = false;           ///< on_complete is being called
  std::optional<StepOf> running;    ///< enqueued on the device, and not known to be complete
  std::optional<StepOf> completed;  ///< the last step whose timeline the recorder has begun
  bool written = false;             ///< the recorder has the spans of that step
  std::int64_t ended = 0;           ///< when that step ended
  /// Bodies of the training so far. This is the position of the rings; the last one wrote their newest version.
  std::int64_t trained = 0;
};

Engine::Engine(const Plan& plan, kernels::Device& device, const Channels& channels) try {
  require(plan.ranks() == channels.host.size(), "the plan is for {} ranks, the communicator has {}", plan.ranks(),
          channels.host.size());
  require(channels.device.size() == channels.host.size() && channels.device.rank() == channels.host.rank(),
          "a rank's two channels belong to different ranks");
  state_ = std::make_unique<State>(plan, device, channels);
} catch (...) {
  rethrow_in(fmt::format("rank {}", channels.host.rank()));
}

Engine::~Engine() = default;

void Engine::initialize(std::uint64_t seed) {
  state_->require_drained(Mode::train);
  state_->storage.zero();
  draw_state(state_->plan, state_->rank, seed, [this](const HeldState& part, const float* host) { write(part, host); });
}

void Engine::load(Mode mode, const void* values, const std::int32_t* labels, const std::int32_t* samples) {
  State& s = *state_;
  PreparedProgram& prepared = s.of(mode);
  s.wait_for_other(mode);
  if (!prepared.inputs.by_turn()) s.wait();
  const std::int64_t begin = now();
  const Place place{s.storage, prepared.program, {s.trained, static_cast<std::int64_t>(prepared.next())}};
  prepared.inputs.load(
      values, labels, samples, [&place](const View& view) { return place.of(view); }, prepared.next());
  if (prepared.inputs.any()) note_input(begin, now());
}

void Engine::step(Mode mode, const graph::Scalars& scalars) {
  State& s = *state_;
  PreparedProgram& prepared = s.of(mode);
  s.wait_for_other(mode);
  const StepOf step{mode, prepared.next()};
  Turn& turn = prepared.turns[step.turn];
  s.require_drained(other(mode));
  const std::int64_t since = prepared.steps_since_prologue.value_or(0);
  const int body = mode == Mode::train ? s.plan.cadence.body(scalars.step, since) : 0;
  s.recorder.take(scalars.step, body, turn.begun);
  if (!s.device.asynchronous()) s.recorder.begin(turn.begun, 0);
  s.scalars.set(scalars, mode == Mode::train, turn.scalars);
  try {
    for (PreparedProgram* either : {&s.train, &s.evaluate}) either->inputs.wait_for_event();  // they may share slots
    prepared.inputs.take(step.turn);
    s.run_prologue(step);
    s.issue_body(step, body);
  } catch (...) {
    s.fail();
  }
  const std::optional<StepOf> before = std::exchange(s.running, step);
  if (before) s.complete(*before);
  if (!s.device.asynchronous()) s.wait();
  if (s.alignment.due()) {
    s.wait();
    s.alignment.align();
  }
}

void Engine::begin(Mode mode) {
  state_->wait();
  state_->require_drained(other(mode));
  try {
    state_->run_prologue({mode, state_->of(mode).next()});
  } catch (...) {
    state_->fail();
  }
}

void Engine::wait() {
  state_->wait();
}

void Engine::set_on_complete(OnComplete told) {
  state_->on_complete = std::move(told);
}

void Engine::drain(Mode mode) {
  State& s = *state_;
  PreparedProgram& prepared = s.of(mode);
  if (!prepared.steps_since_prologue) return;
  s.wait();
  const std::int64_t steps = *std::exchange(prepared.steps_since_prologue, std::nullopt);
  if (steps == 0) return;
  try {
    if (mode == Mode::train)
      for (const int body : s.plan.cadence.drain_after(steps)) s.run_drain(body);
    s.run_unrecorded(s.now_of(prepared.turns[prepared.last()], epilogue_section(prepared.program)),
                     {mode, prepared.last()});
  } catch (...) {
    s.fail();
  }
}

std::vector<double> Engine::metrics(Mode mode) const {
  State& s = *state_;
  if (!s.reporting) s.wait();
  const PreparedProgram& prepared = s.of(mode);
  const std::size_t turn = s.reporting ? s.completed->turn : prepared.last();
  const Place place{s.storage, prepared.program, {s.trained, static_cast<std::int64_t>(turn)}};
  return prepared.metrics.values([&place](const View& view) { return place.of(view); }, turn);
}

const StepTimeline& Engine::timeline() const {
  return state_->timeline();
}

void Engine::note_input(std::int64_t begin, std::int64_t end) {
  state_->recorder.note_input(begin, end);
}

void Engine::read(const HeldState& held, float* host) const {
  state_->require_drained(Mode::train);
  state_->device.finish();
  read_floats(state_->device, held.shard->whole.dtype, state_->place_of(held, state_->trained),
              {host, static_cast<std::size_t>(held.elements.size())});
}

void Engine::write(const HeldState& held, const float* host) {
  state_->require_drained(Mode::train);
  const int versions = state_->role.train.buffers[static_cast<std::size_t>(held.view.buffer)].versions;
  for (std::int64_t position = 0; position < versions; ++position) {
    write_floats(state_->device, held.shard->whole.dtype, state_->place_of(held, position),
                 {host, static_cast<std::size_t>(held.elements.size())});
  }
}

std::optional<graph::LossScaler> Engine::scaler() const {
  return state_->scalars.scaler();
}

const Plan& Engine::plan() const {
  return state_->plan;
}
const Role& Engine::role() const {
  return state_->role;
}

Counters Engine::counters() const {
  Counters counters;
  for (std::size_t phase = 0; phase < phases; ++phase) {
    if (state_->launched.flops[phase] > 0) counters.flops[static_cast<Phase>(phase)] = state_->launched.flops[phase];
  }
  counters.launches = state_->launched.launches;
  counters.allocated_bytes = state_->storage.allocated_bytes();
  counters.arena_bytes = state_->storage.arena_bytes();
  counters.device_bytes = state_->device.allocated_bytes();
  return counters;
}

std::string Engine::launch_mode() const {
  std::size_t communicating = 0;
  for (const Instructions& body : state_->role.train.bodies) communicating += count_communications(body);
  std::string why = why_not_recorded(state_->device, state_->channels, communicating > 0);
  if (why.empty() && state_->hook) why = "a hook must be called before each instruction";
  return why.empty() ? "graph" : "no graph: " + why;
}

void Engine::set_hook(Hook before) {
  state_->hook = std::move(before);
}

}  // namespace ddlbench::runtime
