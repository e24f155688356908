#include "strategies/passes/emit.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "strategies/passes/convert.h"
#include "strategies/passes/gathers.h"
#include "strategies/passes/hoist.h"
#include "strategies/passes/prioritize.h"
#include "strategies/passes/sums.h"
#include "strategies/passes/synchronize.h"
#include "strategies/passes/update_statistics.h"
#include "strategies/synchronization/mean_weights.h"

namespace ddlbench::strategies {

using graph::Phase;

namespace {

constexpr int all_microbatches = -1;
constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

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
  Emitter(const Emission& emission, program::Program& program, CarriedProbe* probe = nullptr)
      : e_(emission),
        program_(program),
        works_(e_.timetable.works(e_.position.pipeline)),
        steps_(steps_of_works()),
        writer_(program.bodies.front()),
        storage_(e_.sharded, e_.stages, e_.position, e_.layout, e_.shards, e_.optimizer, e_.chain, e_.own_weights,
                 program),
        instances_(e_.sharded, e_.position, storage_, program, e_.carried, probe),
        gathers_(e_.sharded, e_.layout, storage_, e_.shards, works_, steps_, instances_, writer_),
        sum_of_(e_.sharded.values.size(), graph::absent),
        is_sum_(e_.sharded.steps.size(), false) {
    find_sums();
    if (e_.optimizer == nullptr) {
      if (e_.own_weights) append_mean_weights(storage_, e_.layout, e_.position, program.prologue);
      return;
    }
    Writer prologue(program.prologue);
    storage_.append_equal_versions(prologue);
    last_update_ = last_work_of_update();
    buckets_.emplace(BucketContext{e_.layout, storage_, e_.shards, e_.position, *e_.optimizer, instances_, writer_});
    if (e_.slices != nullptr)
      synchronizer_ = std::make_unique<PrioritySynchronizer>(*buckets_, *e_.chain, *e_.slices);
    else
      synchronizer_ =
          std::make_unique<ChainSynchronizer>(*buckets_, *e_.chain, e_.overlap, e_.cycles, microbatches_of_update());
  }

  EmittedState run() && {
    if (synchronizer_) {
      estimate_weights();
      if (begins_batch())
        for (const auto& [input, kept] : instances_.copies())
          writer_.append_copy("keep input", input, kept, program::Phase::forward, e_.position.pipeline);
      synchronizer_->begin();
    }
    for (std::size_t w = 0; w < works_.size(); ++w) {
      communicate(works_[w].begin);
      perform(w);
      if (w != last_update_ || flushes()) continue;
      // All ranks of a stage join one all-reduce, at one virtual time. Each first posts its messages of earlier times:
      // otherwise the all-reduce could wait for a rank that waits for such a message.
      communicate(works_[w].begin + wait_before_sum(e_.stages.pipeline, e_.position.pipeline));
      synchronize();
    }
    communicate(std::numeric_limits<double>::infinity());
    if (synchronizer_ && flushes()) synchronize();
    if (synchronizer_ && !flushes() && last_update_ == nowhere) storage_.append_kept_version(writer_);
    if (synchronizer_ && begins_batch()) {
      update_statistics(e_.layout, storage_, e_.position, e_.chain->local_gradients, writer_);
    }
    if (e_.slices != nullptr && e_.chain->completes_previous_step) {
      Writer rest(program_.epilogue);
      append_rest({e_.layout, storage_, e_.shards, e_.position, *e_.optimizer, instances_, rest}, *e_.chain,
                  *e_.slices);
    }
    return {storage_.state(), storage_.shards()};
  }

 private:
  const Step& step(int id) const { return e_.sharded.steps[static_cast<std::size_t>(id)]; }

  const Value& value(ValueId id) const { return e_.sharded.values[static_cast<std::size_t>(id)]; }

  bool is_pipeline() const { return e_.stages.pipeline.ranks > 1; }
  bool flushes() const { return e_.stages.pipeline.flushes; }

  int age_of_update() const {
    return flushes() ? 0 : strategies::age_of_update(e_.stages.pipeline, e_.position.pipeline);
  }
  bool updates_with(const Work& work) const { return work.kind != Work::Kind::forward && work.age == age_of_update(); }
  std::size_t last_work_of_update() const {
    std::size_t last = nowhere;
    for (std::size_t w = 0; w < works_.size(); ++w)
      if (updates_with(works_[w].work)) last = w;
    return last;
  }
  /// Returns the number of micro-batches whose gradients this step completes; without flush, the others of the batch
  /// were computed in the step before.
  int microbatches_of_update() const {
    std::set<int> microbatches;
    for (const TimedWork& timed : works_)
      if (updates_with(timed.work)) microbatches.insert(timed.work.microbatch);
    return static_cast<int>(microbatches.size());
  }
  bool begins_batch() const {
    return flushes() || std::any_of(works_.begin(), works_.end(),
                                    [](const TimedWork& timed) { return timed.work.kind == Work::Kind::forward; });
  }
  /// Forward passes of the first steps predict no more updates than there are until their backward passes.
  void estimate_weights() {
    EstimatedWeights weights = estimated_weights(e_.stages.pipeline, e_.position.pipeline);
    if (!weights.of_backward) weights.updates = std::min(weights.updates, e_.timetable.ages().oldest);
    if (weights.updates == 0) return;
    std::set<graph::TensorId> read;
    for (std::size_t w = 0; w < works_.size(); ++w) {
      if ((works_[w].work.kind != Work::Kind::forward) != weights.of_backward) continue;
      for (const PlacedStep& placed : steps_[w])
        for (const ValueId input : step(placed.step).inputs) read.insert(value(input).tensor);
    }
    std::set<std::size_t> buckets;
    for (std::size_t i = 0; i < e_.layout.parameters.size(); ++i)
      if (read.contains(e_.layout.parameters[i].tensor)) buckets.insert(e_.layout.bucket_of(i));
    if (!buckets.empty()) instances_.estimate(e_.layout.elements, weights, std::move(buckets));
  }
  /// Returns whether a step before this one has computed gradients of the rank's first micro-batch of that batch.
  bool has_begun(int age) const {
    if (age == 0) return false;
    const int first = e_.stages.pipeline.microbatches_of(e_.position.pipeline).front();
    return std::none_of(works_.begin(), works_.end(), [age, first](const TimedWork& timed) {
      return timed.work.kind != Work::Kind::forward && timed.work.age == age && timed.work.microbatch == first;
    });
  }

  void synchronize() {
    set_age(age_of_update());
    synchronizer_->finish();
    set_age(0);
  }
  void set_age(int age) {
    instances_.set_age(age);
    writer_.set_steps_back(age);
  }

  /// Returns whether work `w` recomputes dropped results. A forward and a separate backward_weight never do. In a
  /// pipeline with full recomputation, a backward that directly follows its own forward uses that forward's results and
  /// recomputes nothing.
  bool recomputes(std::size_t w) const {
    const Work::Kind kind = works_[w].work.kind;
    if (kind == Work::Kind::forward || kind == Work::Kind::backward_weight) return false;
    return e_.recomputation.kind != Recomputation::Kind::full || !is_pipeline() || !follows_own_forward(works_, w);
  }

  std::vector<std::vector<PlacedStep>> steps_of_works() const {
    const std::vector<bool> dropped = dropped_steps(e_.sharded, e_.recomputation, e_.stages);
    const std::vector<bool> nothing(dropped.size(), false);
    std::map<int, std::vector<int>> of_stage;
    for (int id = 0; id < static_cast<int>(e_.sharded.steps.size()); ++id)
      of_stage[e_.stages.stage_of(id)].push_back(id);
    std::vector<std::vector<PlacedStep>> all;
    for (std::size_t w = 0; w < works_.size(); ++w) {
      std::vector<int> steps;
      for (const int id : of_stage[works_[w].stage])
        if (covers(works_[w].work.kind, step(id).phase)) steps.push_back(id);
      if (works_[w].work.kind == Work::Kind::forward && recomputed_later(w))
        steps = needed_in_forward(e_.sharded, e_.stages, dropped, steps);
      all.push_back(with_recomputation(e_.sharded, e_.stages, recomputes(w) ? dropped : nothing, steps));
    }
    return all;
  }

  /// Returns whether the backward of forward `w` recomputes dropped results.
  bool recomputed_later(std::size_t w) const {
    for (std::size_t later = w + 1; later < works_.size(); ++later)
      if (works_[later].stage == works_[w].stage && works_[later].work.microbatch == works_[w].work.microbatch)
        return recomputes(later);
    return false;
  }

  void perform(std::size_t w) {
    set_age(works_[w].work.age);
    for (const PlacedStep& placed : steps_[w]) {
      gathers_.prepare(w, placed.step);
      const bool first = ran_.emplace(placed.step, works_[w].work.microbatch).second;
      emit_step(placed.step, works_[w], first ? phase_of(step(placed.step).phase) : program::Phase::recompute);
    }
    set_age(0);
  }

  /// Finds sums that need no op. The gradient of a parameter that several layers use is the sum of one term per layer.
  /// Where nothing else uses a term, the term is accumulated directly in the sum's memory.
  void find_sums() {
    for (int id = 0; id < static_cast<int>(e_.sharded.steps.size()); ++id) {
      const Step& sum = step(id);
      if (sum.kind != Step::Kind::op) continue;
      if (!sums_parameter_gradients(e_.sharded.graph.nodes[static_cast<std::size_t>(sum.node)])) continue;
      const bool settled = storage_.accumulates(sum.outputs[0]) || storage_.place_of(sum.outputs[0]) != nullptr;
      if (!settled || !is_term(sum.inputs[0], id) || !is_term(sum.inputs[1], id)) continue;
      if (value(sum.inputs[0]).producer == value(sum.inputs[1]).producer) continue;
      is_sum_[static_cast<std::size_t>(id)] = true;
      for (const ValueId term : sum.inputs) sum_of_[static_cast<std::size_t>(term)] = sum.outputs[0];
    }
  }

  bool is_term(ValueId id, int sum) const {
    const Value& term = value(id);
    if (term.producer == graph::absent || term.consumers != std::vector<int>{sum}) return false;
    const Step& maker = step(term.producer);
    const graph::Op& op = *e_.sharded.graph.nodes[static_cast<std::size_t>(maker.node)].op;
    return maker.kind == Step::Kind::op && maker.phase != Phase::forward && !op.is_view() &&
           (maker.outputs.size() == 1 || op.can_accumulate_some()) &&
           e_.stages.rank_of(term.producer) == e_.stages.rank_of(sum) &&
           term.layout == value(step(sum).outputs[0]).layout;
  }

  /// Returns the value in whose memory `output` is computed: itself, or the sum of which it is a term.
  ValueId target_of(ValueId output) const {
    const ValueId sum = sum_of_[static_cast<std::size_t>(output)];
    return sum == graph::absent ? output : sum;
  }

  /// Returns whether `output` must be added to what its memory already holds, and records that the memory holds a value
  /// from now on. Call once per write.
  bool adds(ValueId output, const Work& work) {
    const ValueId target = target_of(output);
    if (storage_.accumulates(target))
      return has_begun(work.age) || !begun_.emplace(target, all_microbatches, work.age).second;
    return target != output && !begun_.emplace(target, work.microbatch, work.age).second;
  }

  void emit_step(int id, const TimedWork& work, program::Phase phase) {
    const Step& s = step(id);
    const int microbatch = work.work.microbatch;
    Synchronizer* const synchronizer = work.work.age == age_of_update() ? synchronizer_.get() : nullptr;
    if (synchronizer != nullptr)
      for (const ValueId input : s.inputs) synchronizer->before_read(value(input).tensor);
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
    if (is_sum_[static_cast<std::size_t>(id)]) {
      if (synchronizer != nullptr) synchronizer->made(s.outputs[0], microbatch);
      return;
    }
    program::Compute compute;
    compute.op = located(node.op, s.outputs[0]);
    for (const ValueId output : s.outputs)
      require(phase != program::Phase::recompute || !storage_.accumulates(target_of(output)),
              "an accumulated value is produced twice");
    for (const ValueId input : s.inputs) compute.inputs.push_back(instances_.at(input, microbatch));
    for (const ValueId output : s.outputs) {
      if (synchronizer != nullptr) synchronizer->prepare(target_of(output), microbatch);
      if (adds(output, work.work))
        compute.accumulate = true;
      else
        compute.written.push_back(static_cast<int>(compute.outputs.size()));
      compute.outputs.push_back(instances_.make(target_of(output), microbatch));
    }
    if (!compute.accumulate) compute.written.clear();
    require(compute.written.empty() || node.op->can_accumulate_some(),
            "an op accumulates into one output and overwrites another");
    if (synchronizer != nullptr) synchronizer->begin_op();
    writer_.append(s.name, std::move(compute), phase, work.stage, microbatch);
    if (synchronizer != nullptr)
      for (const ValueId output : s.outputs) synchronizer->made(output, microbatch);
  }

  /// Returns `op` as it computes this rank's part of `output` (Op::at).
  graph::OpPtr located(const graph::OpPtr& op, ValueId output) const {
    const graph::TensorId tensor = e_.sharded.values[static_cast<std::size_t>(output)].tensor;
    const graph::Shape& whole = e_.sharded.graph.tensors[static_cast<std::size_t>(tensor)].type.shape;
    graph::OpPtr here = op->at(e_.sharded.box(output, e_.position.on(e_.sharded.rules)), whole);
    return here ? here : op;
  }

  /// Posts all pending messages whose time is at most `time`.
  void communicate(double time) {
    const std::vector<StageTransfer>& transfers = e_.timetable.transfers(e_.position.pipeline);
    while (posted_ < transfers.size() && transfers[posted_].time <= time) {
      program::Exchange exchange;
      std::string name;
      const StageTransfer& first = transfers[posted_];
      for (; posted_ < transfers.size() && transfers[posted_].time == first.time; ++posted_) {
        const StageTransfer& crossing = transfers[posted_];
        const bool sends = crossing.from == e_.position.pipeline;
        name += (name.empty() ? "" : ", ") + std::string(sends ? "send " : "receive ") + tensor_name(crossing.value);
        (sends ? exchange.sends : exchange.receives).push_back(message(crossing, sends));
      }
      program::Action action = std::move(exchange);
      const auto& messages = std::get<program::Exchange>(action);
      if (messages.sends.size() + messages.receives.size() == 1)
        action = messages.receives.empty() ? program::Action(program::Send{messages.sends.front()})
                                           : program::Action(program::Receive{messages.receives.front()});
      const int producer = e_.sharded.values[static_cast<std::size_t>(first.value)].producer;
      writer_.append(std::move(name), std::move(action), program::Phase::communication, e_.stages.stage_of(producer),
                     first.microbatch);
    }
  }

  program::Message message(const StageTransfer& crossing, bool sends) {
    program::Message m;
    const int other = sends ? crossing.to : crossing.from;
    for (const program::Axis& axis : e_.position.mesh.axes()) {
      if (axis.name == "pipeline")
        m.peer.rules.push_back({program::CoordinateRule::Kind::offset, other - e_.position.pipeline});
      else
        m.peer.rules.push_back({program::CoordinateRule::Kind::keep, 0});
    }
    instances_.set_age(crossing.age);
    m.operand = sends ? instances_.at(crossing.value, crossing.microbatch)
                      : instances_.make(crossing.value, crossing.microbatch);
    instances_.set_age(0);
    m.tag = crossing.value * e_.position.microbatches + crossing.microbatch;
    return m;
  }

  const std::string& tensor_name(ValueId id) const {
    const Value& value = e_.sharded.values[static_cast<std::size_t>(id)];
    return e_.sharded.graph.tensors[static_cast<std::size_t>(value.tensor)].name;
  }

  const Emission& e_;
  program::Program& program_;
  const std::vector<TimedWork>& works_;
  std::vector<std::vector<PlacedStep>> steps_;  ///< by work
  Writer writer_;
  Storage storage_;
  Instances instances_;
  Gathers gathers_;
  std::optional<BucketContext> buckets_;
  std::unique_ptr<Synchronizer> synchronizer_;
  std::vector<ValueId> sum_of_;  ///< by value: the sum of which it is a term, else `absent`
  std::vector<bool> is_sum_;     ///< by step: a sum whose terms are accumulated in its memory, so that it needs no op
  /// Memory that holds a value already: value, micro-batch and the age of its batch.
  std::set<std::tuple<ValueId, int, int>> begun_;
  std::set<std::pair<int, int>> ran_;  ///< steps that have run once: step and micro-batch
  std::size_t posted_ = 0;
  std::size_t last_update_ = nowhere;  ///< work after which the gradients of a batch are complete
};

}  // namespace

EmittedState emit(const Emission& emission, program::Program& program) {
  EmittedState state = Emitter(emission, program).run();
  if (emission.optimizer != nullptr && !emission.shards.partition().keeps_gradients) hoist_updates(program);
  return state;
}

Carried find_carried(const Emission& emission) {
  program::Program scratch;
  CarriedProbe probe;
  Emitter(emission, scratch, &probe).run();
  return std::move(probe).carried();
}

}  // namespace ddlbench::strategies
