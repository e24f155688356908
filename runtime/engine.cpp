#include "runtime/engine.h"

#include <algorithm>

#include "graph/error.h"
#include "program/actions.h"
#include "runtime/draw.h"
#include "runtime/metric_shares.h"
#include "runtime/recorder.h"
#include "runtime/rethrow.h"
#include "runtime/sequence.h"
#include "runtime/storage.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

/// One of a role's two programs, at every position of the rings.
struct Prepared {
  Prepared(const Program& p, std::vector<MetricShare> s) : program(p), shares(std::move(s)) {}
  const Program& program;
  std::vector<MetricShare> shares;
  std::vector<std::unique_ptr<Sequence>> prologue, body, epilogue;  ///< by position
  bool running = false;                                             ///< the prologue has run
};

std::size_t communications(const std::vector<Instruction>& instructions) {
  return static_cast<std::size_t>(std::count_if(instructions.begin(), instructions.end(), is_communication));
}

}  // namespace

struct Engine::State {
  State(const Plan& p, kernels::Device& d, comm::Communicator& world)
      : plan(p),
        role(p.role(world.rank())),
        rank(world.rank()),
        device(d),
        shard_at(shard_coordinate(p, world.rank())),
        storage(role, d),
        scalars(d, sizeof(graph::Scalars)),
        communicators(p, world),
        kernels(d),
        train(role.train, metric_shares(p, &Role::train, rank)),
        evaluate(role.evaluate, metric_shares(p, &Role::evaluate, rank)) {
    for (Prepared* prepared : {&train, &evaluate}) prepare(*prepared);
  }

  void prepare(Prepared& prepared) {
    const Program& program = prepared.program;
    for (std::int64_t position = 0; position < storage.period(); ++position) {
      const Preparation preparation{plan,
                                    device,
                                    kernels,
                                    communicators,
                                    reinterpret_cast<const graph::Scalars*>(scalars.data()),
                                    [this, &program, position](const View& view) {
                                      return storage.at(program, located(view, shard_at), position);
                                    }};
      prepared.prologue.push_back(std::make_unique<Sequence>(program.prologue, preparation));
      prepared.body.push_back(std::make_unique<Sequence>(program.body, preparation));
      prepared.epilogue.push_back(std::make_unique<Sequence>(program.epilogue, preparation));
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

  void set_scalars(const graph::Scalars& values) { device.copy_in(scalars.data(), &values, sizeof values); }

  /// The prologue and the epilogue leave no timeline: a timeline's instructions are the body's.
  void run_unrecorded(Sequence& sequence, Mode mode) {
    unrecorded.begin(0);
    sequence.run({mode, hook, unrecorded, launched});
  }

  std::byte* place_of(const HeldState& held, std::int64_t position) const {
    const StateShard& shard = *held.shard;
    require(shard.whole.dtype == graph::DType::f32, "state '" + shard.tensor + "' is " + graph::to_string(shard.whole) +
                                                        ", and f32 alone can be read or written");
    return storage.at(role.train, held.view, position);
  }

  const Plan& plan;
  const Role& role;
  int rank;
  kernels::Device& device;
  int shard_at;  ///< this rank's coordinate on the shard axis
  Storage storage;
  DeviceMemory scalars;
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

Engine::Engine(const Plan& plan, kernels::Device& device, comm::Communicator& communicator) try {
  require(plan.ranks() == communicator.size(), "the plan is for " + std::to_string(plan.ranks()) +
                                                   " ranks, the communicator has " +
                                                   std::to_string(communicator.size()));
  state_ = std::make_unique<State>(plan, device, communicator);
} catch (...) {
  rethrow_in("rank " + std::to_string(communicator.rank()));
}

Engine::~Engine() = default;

void Engine::initialize(std::uint64_t seed) {
  state_->storage.zero();
  std::vector<float> values;
  for (const HeldState& held : held_state(state_->plan, state_->rank)) {
    if (held.shard->memory_class != MemoryClass::parameters) continue;
    values.resize(static_cast<std::size_t>(held.elements.size()));
    draw(held, seed, values.data());
    write(held, values.data());
  }
}

void Engine::load(Mode mode, const void* values, const std::int32_t* labels) {
  State& s = *state_;
  const std::int64_t begin = now();
  const Program& program = s.of(mode).program;
  for (const InputSlot& slot : program.inputs) {
    const void* source = slot.role == graph::Role::label ? static_cast<const void*>(labels) : values;
    if (source == nullptr) {
      throw ContractError("rank " + std::to_string(s.rank) + " takes input '" + slot.tensor + "', which is not given");
    }
    const View& view = slot.operand.view;
    s.device.copy_in(s.storage.at(program, view, s.trained), source, static_cast<std::size_t>(view.bytes));
  }
  if (!program.inputs.empty()) note_input(begin, now());
}

void Engine::step(Mode mode, const graph::Scalars& scalars) {
  State& s = *state_;
  Prepared& prepared = s.of(mode);
  s.recorder.begin(scalars.step);
  s.set_scalars(scalars);
  try {
    if (!prepared.running) s.run_unrecorded(s.now_of(prepared.prologue), mode);
    prepared.running = true;
    s.now_of(prepared.body).run({mode, s.hook, s.recorder, s.launched});
  } catch (...) {
    rethrow_in("rank " + std::to_string(s.rank));
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
    rethrow_in("rank " + std::to_string(s.rank));
  }
  prepared.running = false;
}

std::vector<double> Engine::metrics(Mode mode) const {
  const Prepared& prepared = state_->of(mode);
  std::vector<double> values;
  for (const MetricShare& share : prepared.shares) {
    float value = 0;
    if (share.slot != nullptr) {
      require(share.slot->view.bytes == sizeof value, "metric '" + share.tensor + "' is not one f32");
      const std::byte* place = state_->storage.at(prepared.program, share.slot->view, state_->trained);
      state_->device.copy_out(&value, place, sizeof value);
    }
    values.push_back(value);
  }
  return values;
}

const StepTimeline& Engine::timeline() const {
  return state_->recorder.step();
}

void Engine::note_input(std::int64_t begin, std::int64_t end) {
  state_->recorder.note_input(begin, end);
}

void Engine::read(const HeldState& held, float* host) const {
  const std::byte* place = state_->place_of(held, state_->trained);
  state_->device.copy_out(host, place, static_cast<std::size_t>(held.view.bytes));
}

void Engine::write(const HeldState& held, const float* host) {
  for (std::int64_t position = 0; position < state_->storage.period(); ++position) {
    state_->device.copy_in(state_->place_of(held, position), host, static_cast<std::size_t>(held.view.bytes));
  }
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
  return counters;
}

void Engine::set_hook(Hook before) {
  state_->hook = std::move(before);
}

}  // namespace ddlbench::runtime
