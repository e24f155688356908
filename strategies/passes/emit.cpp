#include "strategies/passes/emit.h"

#include <algorithm>
#include <optional>

#include "graph/error.h"
#include "strategies/passes/convert.h"
#include "strategies/passes/gathers.h"
#include "strategies/passes/recompute.h"
#include "strategies/passes/synchronize.h"

namespace ddlbench::strategies {

using graph::Phase;

namespace {

program::Phase phase_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return program::Phase::forward;
    case Phase::backward_input:
      return program::Phase::backward_input;
    case Phase::backward_weight:
      return program::Phase::backward_weight;
  }
  throw ContractError("unknown phase");
}

class Emitter {
 public:
  Emitter(const Emission& emission, program::Program& program)
      : e_(emission),
        works_(e_.timetable.works(e_.position.pipeline)),
        recomputed_(works_.size()),
        steps_(steps_of_works()),
        writer_(program),
        storage_(e_.sharded, e_.stages, e_.position, e_.layout, e_.shards, e_.optimizer, program),
        instances_(e_.sharded, e_.position, storage_, program),
        gathers_(e_.sharded, e_.layout, storage_, e_.shards, works_, steps_, instances_, writer_),
        written_(e_.sharded.values.size(), 0) {
    if (e_.optimizer != nullptr)
      synchronizer_.emplace(e_.layout, storage_, e_.shards, e_.position, *e_.optimizer, e_.overlap, instances_,
                            writer_);
  }

  EmittedState run() && {
    for (std::size_t w = 0; w < works_.size(); ++w) {
      communicate(works_[w].begin);
      perform(w);
    }
    communicate(works_.empty() ? 0 : works_.back().end);
    require(crossed_ == e_.timetable.crossings(e_.position.pipeline).size(), "a message that no work waits for");
    if (synchronizer_) synchronizer_->finish();
    return {storage_.state(), storage_.shards()};
  }

 private:
  const Step& step(int id) const { return e_.sharded.steps[static_cast<std::size_t>(id)]; }

  /// Whether what a piece of backward needs of its forward is still to be made again: all but what has just
  /// been made.
  bool needs_recompute(std::size_t w) const {
    const TimedWork& now = works_[w];
    if (!e_.recompute || now.work.kind == Work::Kind::forward || now.work.kind == Work::Kind::backward_weight)
      return false;
    const TimedWork* before = w == 0 ? nullptr : &works_[w - 1];
    return before == nullptr || before->work.kind != Work::Kind::forward || before->stage != now.stage ||
           before->work.microbatch != now.work.microbatch;
  }

  /// The steps of every piece of work, those that are run again first; fills recomputed_ with their numbers.
  std::vector<std::vector<int>> steps_of_works() {
    std::vector<std::vector<int>> all;
    std::map<int, std::vector<int>> again;  // by stage
    for (std::size_t w = 0; w < works_.size(); ++w) {
      const TimedWork& work = works_[w];
      std::vector<int> steps;
      if (needs_recompute(w)) {
        if (again.count(work.stage) == 0)
          again[work.stage] = needed_again(e_.sharded, e_.stages.stage_of_step, work.stage);
        steps = again[work.stage];
        recomputed_[w] = steps.size();
      }
      for (int id = 0; id < static_cast<int>(e_.sharded.steps.size()); ++id)
        if (e_.stages.stage_of(id) == work.stage && covers(work.work.kind, step(id).phase)) steps.push_back(id);
      all.push_back(std::move(steps));
    }
    return all;
  }

  void perform(std::size_t w) {
    const std::size_t leaving = last_leaving(w);
    for (std::size_t i = 0; i < steps_[w].size(); ++i) {
      const int id = steps_[w][i];
      gathers_.prepare(w, id);
      emit_step(id, works_[w], i < recomputed_[w] ? program::Phase::recompute : phase_of(step(id).phase));
      if (i == leaving) communicate(works_[w].begin + 1);
    }
  }

  /// Of a backward in one piece, the last step of its first half that makes what other ranks wait for: it need
  /// not wait for the second half.
  std::size_t last_leaving(std::size_t w) const {
    std::size_t last = steps_[w].size();
    if (works_[w].work.kind != Work::Kind::backward) return last;
    for (std::size_t i = recomputed_[w]; i < steps_[w].size(); ++i)
      for (const ValueId output : step(steps_[w][i]).outputs)
        if (step(steps_[w][i]).phase == Phase::backward_input && crosses(output)) last = i;
    return last;
  }

  bool crosses(ValueId id) const {
    const std::vector<int>& consumers = e_.sharded.values[static_cast<std::size_t>(id)].consumers;
    return std::any_of(consumers.begin(), consumers.end(),
                       [this](int consumer) { return e_.stages.rank_of(consumer) != e_.position.pipeline; });
  }

  void emit_step(int id, const TimedWork& work, program::Phase phase) {
    const Step& s = step(id);
    const int microbatch = work.work.microbatch;
    if (s.kind != Step::Kind::op) {
      require(!storage_.accumulates(s.outputs[0]) && storage_.place_of(s.outputs[0]) == nullptr,
              "the gradient of '" + s.name + "' is not made by an op");
      for (NamedAction& part : conversion(e_.sharded, s, e_.position, microbatch, instances_))
        writer_.append(std::move(part.name), std::move(part.action), program::Phase::communication, work.stage,
                       microbatch);
      return;
    }
    const graph::Node& node = e_.sharded.graph.nodes[static_cast<std::size_t>(s.node)];
    if (node.op->is_view()) {
      instances_.alias(s.outputs[0], s.inputs[0], microbatch);
      return;
    }
    program::Compute compute;
    compute.op = node.op;
    for (const ValueId input : s.inputs) compute.inputs.push_back(instances_.at(input, microbatch));
    for (const ValueId output : s.outputs) {
      if (synchronizer_) synchronizer_->prepare(output, microbatch);
      compute.accumulate =
          compute.accumulate || (storage_.accumulates(output) && written_[static_cast<std::size_t>(output)] > 0);
      compute.outputs.push_back(instances_.make(output, microbatch));
      if (storage_.accumulates(output)) ++written_[static_cast<std::size_t>(output)];
    }
    for (const ValueId output : s.outputs)
      require(!compute.accumulate || storage_.accumulates(output), "an op adds to one output and writes another");
    writer_.append(s.name, std::move(compute), phase, work.stage, microbatch);
    if (synchronizer_)
      for (const ValueId output : s.outputs) synchronizer_->made(output, microbatch);
  }

  /// Posts all messages up to `time` that are not posted yet.
  void communicate(int time) {
    const std::vector<Crossing>& crossings = e_.timetable.crossings(e_.position.pipeline);
    while (crossed_ < crossings.size() && crossings[crossed_].time <= time) {
      program::Exchange exchange;
      std::string name;
      const Crossing& first = crossings[crossed_];
      for (; crossed_ < crossings.size() && crossings[crossed_].time == first.time; ++crossed_) {
        const Crossing& crossing = crossings[crossed_];
        const bool sends = crossing.from == e_.position.pipeline;
        name += (name.empty() ? "" : ", ") + std::string(sends ? "send " : "receive ") + tensor_name(crossing.value);
        (sends ? exchange.sends : exchange.receives).push_back(message(crossing, sends));
      }
      program::Action action = std::move(exchange);
      const auto& messages = std::get<program::Exchange>(action);
      if (messages.sends.size() + messages.receives.size() == 1)
        action = messages.receives.empty() ? program::Action(program::Send{messages.sends.front()})
                                           : program::Action(program::Receive{messages.receives.front()});
      writer_.append(std::move(name), std::move(action), program::Phase::communication, e_.position.pipeline,
                     first.microbatch);
    }
  }

  program::Message message(const Crossing& crossing, bool sends) {
    program::Message m;
    const int other = sends ? crossing.to : crossing.from;
    for (const program::Axis& axis : e_.position.mesh.axes()) {
      if (axis.name == "pipeline")
        m.peer.rules.push_back({program::CoordinateRule::Kind::offset, other - e_.position.pipeline});
      else
        m.peer.rules.push_back({program::CoordinateRule::Kind::keep, 0});
    }
    m.operand = sends ? instances_.at(crossing.value, crossing.microbatch)
                      : instances_.make(crossing.value, crossing.microbatch);
    m.tag = crossing.value * e_.position.microbatches + crossing.microbatch;
    return m;
  }

  const std::string& tensor_name(ValueId id) const {
    const Value& value = e_.sharded.values[static_cast<std::size_t>(id)];
    return e_.sharded.graph.tensors[static_cast<std::size_t>(value.tensor)].name;
  }

  const Emission& e_;
  const std::vector<TimedWork>& works_;
  std::vector<std::size_t> recomputed_;  ///< per work: steps that are run again
  std::vector<std::vector<int>> steps_;  ///< per work
  Writer writer_;
  Storage storage_;
  Instances instances_;
  Gathers gathers_;
  std::optional<Synchronizer> synchronizer_;
  std::vector<int> written_;  ///< per accumulated value: micro-batches so far
  std::size_t crossed_ = 0;
};

}  // namespace

EmittedState emit(const Emission& emission, program::Program& program) {
  return Emitter(emission, program).run();
}

}  // namespace ddlbench::strategies
