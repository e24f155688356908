#include "runtime/engine.h"

#include <algorithm>
#include <cstddef>

#include "graph/error.h"
#include "program/actions.h"
#include "runtime/box.h"
#include "runtime/draw.h"
#include "runtime/floats.h"
#include "runtime/host_memory.h"
#include "runtime/inputs.h"
#include "runtime/metric_values.h"
#include "runtime/recorder.h"
#include "runtime/rethrow.h"
#include "runtime/sequence.h"
#include "runtime/storage.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

/// One of a role's two programs, at every position of the rings.
struct Prepared {
  Prepared(const Program& p, std::vector<MetricShare> shares, int rank, kernels::Device& device)
      : program(p), inputs(p, rank, device), metrics(std::move(shares), device) {}
  const Program& program;
  Inputs inputs;
  MetricValues metrics;
  std::vector<std::unique_ptr<Sequence>> prologue, body, epilogue;  ///< by position
  bool running = false;                                             ///< the prologue has run
  std::int64_t steps = 0;
};

/// The first steps of a program warm libraries up, and are not recorded.
constexpr std::int64_t unrecorded_steps = 2;
constexpr std::int64_t steps_between_alignments = 64;

std::size_t communications(const std::vector<Instruction>& instructions) {
  return static_cast<std::size_t>(std::count_if(instructions.begin(), instructions.end(), is_communication));
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
        own_scalars(d, keeps_scaler() ? 0 : sizeof(graph::Scalars)),
        scalars(keeps_scaler() ? storage.at(role.train, role.train.scalars, 0) : own_scalars.data()),
        pinned_scalars(d, d.asynchronous() ? sizeof(graph::Scalars) : 0),
        communicators(p, c.device),
        kernels(d),
        train(role.train, metric_shares(p, &Role::train, rank), rank, d),
        evaluate(role.evaluate, metric_shares(p, &Role::evaluate, rank), rank, d) {
    for (Prepared* prepared : {&train, &evaluate}) prepare(*prepared);
  }

  void prepare(Prepared& prepared) {
    const Program& program = prepared.program;
    for (std::int64_t position = 0; position < storage.period(); ++position) {
      const Preparation preparation{plan,
                                    device,
                                    channels,
                                    kernels,
                                    communicators,
                                    reinterpret_cast<const graph::Scalars*>(scalars),
                                    [this, &program, position](const View& view) {
                                      return storage.at(program, located(view, shard_at), position);
                                    }};
      prepared.prologue.push_back(make_sequence(program.prologue, preparation));
      prepared.body.push_back(make_sequence(program.body, preparation));
      prepared.epilogue.push_back(make_sequence(program.epilogue, preparation));
    }
    recorder.reserve(program.body.size(), communications(program.body));
    for (const auto* part : {&program.prologue, &program.epilogue}) {
      unrecorded.reserve(part->size(), communications(*part));
    }
  }

  Prepared& of(Mode mode) { return mode == Mode::train ? train : evaluate; }

  Sequence& now_of(const std::vector<std::unique_ptr<Sequence>>& sequences) const {
    return *sequences[static_cast<std::size_t>(trained % storage.period())];
  }

  bool keeps_scaler() const { return role.train.scalars.buffer != none; }

  /// The last step is complete, so that its scalars have left the pinned memory. A scaler that the program keeps stays.
  void set_scalars(const graph::Scalars& values) {
    const std::size_t bytes = keeps_scaler() ? offsetof(graph::Scalars, scaler) : sizeof values;
    if (pinned_scalars.data() == nullptr) return device.copy_in(scalars, &values, bytes);
    std::memcpy(pinned_scalars.data(), &values, bytes);
    device.copy_in(scalars, pinned_scalars.data(), bytes, kernels::Stream::compute);
  }

  /// Where a slot of a program lies at present.
  Resolve present(const Program& program) const {
    return [this, &program](const View& view) { return storage.at(program, view, trained); };
  }

  /// Runs a sequence and fetches the metrics, which lie where they will be at position `after`.
  void run(Sequence& sequence, const Run& run, std::int64_t after) {
    sequence.issue(run);
    Prepared& prepared = of(run.mode);
    const struct {
      const Storage& storage;
      const Program& program;
      std::int64_t position;
    } at{storage, prepared.program, after};  // one reference fits into a Resolve without an allocation
    prepared.metrics.fetch([&at](const View& view) { return at.storage.at(at.program, view, at.position); });
    sequence.finish(run);
  }

  /// The prologue and the epilogue leave no timeline: a timeline's instructions are the body's.
  void run_unrecorded(Sequence& sequence, Mode mode) {
    unrecorded.begin(0);
    run(sequence, {mode, hook, unrecorded, launched}, trained);
  }

  void run_body(Mode mode) {
    Prepared& prepared = of(mode);
    const bool record = !hook && prepared.steps >= unrecorded_steps;
    ++prepared.steps;
    run(now_of(prepared.body), {mode, hook, recorder, launched, record, prepared.inputs.take_mark()},
        trained + (mode == Mode::train ? 1 : 0));
    if (prepared.steps % steps_between_alignments == 1) device.align_clock();
  }

  /// Rethrows. Memory can be released only when the streams end, and there a peer may be awaited: no longer.
  [[noreturn]] void fail() {
    const std::string who = "rank " + std::to_string(rank);
    if (channels.route == Route::stream) channels.device.abort(who + " failed");
    rethrow_in(who);
  }

  std::byte* place_of(const HeldState& held, std::int64_t position) const {
    const StateShard& shard = *held.shard;
    require(held.view.bytes == held.elements.size() * static_cast<std::int64_t>(graph::size_of(shard.whole.dtype)),
            "state '" + shard.tensor + "': a piece of other bytes than its elements have");
    return storage.at(role.train, held.view, position);
  }

  const Plan& plan;
  const Role& role;
  int rank;
  kernels::Device& device;
  Channels channels;
  int shard_at;  ///< this rank's coordinate on the shard axis
  Storage storage;
  DeviceMemory own_scalars;
  std::byte* scalars;  ///< on the device
  HostMemory pinned_scalars;
  Communicators communicators;
  KernelCache kernels;
  Recorder recorder;
  Recorder unrecorded;
  Launched launched;
  Hook hook;
  Prepared train;
  Prepared evaluate;
  std::int64_t trained = 0;  ///< train steps so far: the position of the rings, whose newest version the last one wrote
};

Engine::Engine(const Plan& plan, kernels::Device& device, const Channels& channels) try {
  require(plan.ranks() == channels.host.size(), "the plan is for " + std::to_string(plan.ranks()) +
                                                    " ranks, the communicator has " +
                                                    std::to_string(channels.host.size()));
  require(channels.device.size() == channels.host.size() && channels.device.rank() == channels.host.rank(),
          "the two channels of a rank are of other ranks");
  state_ = std::make_unique<State>(plan, device, channels);
} catch (...) {
  rethrow_in("rank " + std::to_string(channels.host.rank()));
}

Engine::~Engine() = default;

void Engine::initialize(std::uint64_t seed) {
  state_->storage.zero();
  constexpr std::int64_t most = 1 << 18;  // at a time: values stay in the caches on their way
  std::vector<float> values(most);
  for (const HeldState& held : held_state(state_->plan, state_->rank)) {
    if (held.shard->memory_class != MemoryClass::parameters && held.shard->drawn_as.empty()) continue;
    for (std::int64_t begin = held.elements.begin; begin < held.elements.end; begin += most) {
      const HeldState part = piece(held, {begin, std::min(begin + most, held.elements.end)});
      draw(part, seed, values.data());
      write(part, values.data());
    }
  }
}

void Engine::load(Mode mode, const void* values, const std::int32_t* labels, const std::int32_t* samples) {
  State& s = *state_;
  const std::int64_t begin = now();
  Prepared& prepared = s.of(mode);
  prepared.inputs.load(values, labels, samples, s.present(prepared.program));
  if (prepared.inputs.any()) note_input(begin, now());
}

void Engine::step(Mode mode, const graph::Scalars& scalars) {
  State& s = *state_;
  Prepared& prepared = s.of(mode);
  s.recorder.begin(scalars.step);
  s.set_scalars(scalars);
  try {
    if (!prepared.running) s.run_unrecorded(s.now_of(prepared.prologue), mode);
    prepared.running = true;
    s.run_body(mode);
  } catch (...) {
    s.fail();
  }
  if (mode == Mode::train) ++s.trained;
  s.recorder.end();
}

void Engine::drain(Mode mode) {
  State& s = *state_;
  Prepared& prepared = s.of(mode);
  if (!prepared.running) return;
  try {
    s.run_unrecorded(s.now_of(prepared.epilogue), mode);
  } catch (...) {
    s.fail();
  }
  prepared.running = false;
}

std::vector<double> Engine::metrics(Mode mode) const {
  const Prepared& prepared = state_->of(mode);
  return prepared.metrics.values(state_->present(prepared.program));
}

const StepTimeline& Engine::timeline() const {
  return state_->recorder.step();
}

void Engine::note_input(std::int64_t begin, std::int64_t end) {
  state_->recorder.note_input(begin, end);
}

void Engine::read(const HeldState& held, float* host) const {
  state_->device.finish();
  read_floats(state_->device, held.shard->whole.dtype, state_->place_of(held, state_->trained),
              {host, static_cast<std::size_t>(held.elements.size())});
}

void Engine::write(const HeldState& held, const float* host) {
  for (std::int64_t position = 0; position < state_->storage.period(); ++position) {
    write_floats(state_->device, held.shard->whole.dtype, state_->place_of(held, position),
                 {host, static_cast<std::size_t>(held.elements.size())});
  }
}

std::optional<graph::LossScaler> Engine::scaler() const {
  if (!state_->keeps_scaler()) return std::nullopt;
  graph::LossScaler scaler;
  state_->device.copy_out(&scaler, state_->scalars + offsetof(graph::Scalars, scaler), sizeof scaler);
  return scaler;
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
  counters.handed_out_bytes = state_->storage.handed_out_bytes();
  counters.arena_bytes = state_->storage.arena_bytes();
  counters.device_bytes = state_->device.handed_out_bytes();
  return counters;
}

std::string Engine::launch_mode() const {
  const auto& body = state_->role.train.body;
  std::string why = why_not_recorded(state_->device, state_->channels, communications(body) > 0);
  if (why.empty() && state_->hook) why = "a hook is called before each instruction";
  return why.empty() ? "graph" : "no graph: " + why;
}

void Engine::set_hook(Hook before) {
  state_->hook = std::move(before);
}

}  // namespace ddlbench::runtime
