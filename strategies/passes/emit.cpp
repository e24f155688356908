#include "strategies/passes/emit.h"

#include <algorithm>
#include <set>

#include "graph/error.h"
#include "strategies/passes/convert.h"
#include "strategies/passes/instances.h"
#include "strategies/passes/pair.h"
#include "strategies/passes/recompute.h"

namespace ddlbench::strategies {

using graph::Phase;
using program::Operand;

namespace {

bool is_backward(Phase phase) {
  return phase != Phase::forward;
}

bool covers(Work::Kind kind, Phase phase) {
  switch (kind) {
    case Work::Kind::forward:
      return phase == Phase::forward;
    case Work::Kind::backward:
      return is_backward(phase);
    case Work::Kind::backward_input:
      return phase == Phase::backward_input;
    case Work::Kind::backward_weight:
      return phase == Phase::backward_weight;
  }
  throw ContractError("unknown kind of work");
}

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
        program_(program),
        storage_(e_.sharded, e_.stage_of_step, e_.position, e_.optimizer, program),
        instances_(e_.sharded, e_.position, storage_, program),
        written_(e_.sharded.values.size(), 0) {
    std::vector<GradientRange> ranges;
    for (const Storage::Parameter& parameter : storage_.parameters()) ranges.push_back(parameter.gradient);
    if (training()) buckets_ = make_buckets(ranges, e_.buckets);
    bucket_done_.assign(buckets_.size(), false);
    if (e_.recompute) recomputed_ = needed_again(e_.sharded, e_.stage_of_step, e_.position.stage);
  }

  std::vector<program::StateShard> run() && {
    for (const Work& work : e_.order) {
      if (work.kind != Work::Kind::forward && !training()) continue;
      perform(work);
    }
    if (training()) {
      for (std::size_t b = 0; b < buckets_.size(); ++b) reduce(b);
      for (const Bucket& bucket : buckets_) update(bucket);
    }
    pair_messages(program_.body);
    return storage_.state();
  }

 private:
  bool training() const { return e_.optimizer != nullptr; }
  int stage_of(int step) const { return e_.stage_of_step[static_cast<std::size_t>(step)]; }
  bool mine(int step) const { return stage_of(step) == e_.position.stage; }
  const Step& step(int id) const { return e_.sharded.steps[static_cast<std::size_t>(id)]; }
  const Value& value(ValueId id) const { return e_.sharded.values[static_cast<std::size_t>(id)]; }

  void perform(const Work& work) {
    receive_for(work);
    const bool again = e_.recompute && work.kind != Work::Kind::forward && work.kind != Work::Kind::backward_weight &&
                       work.microbatch != e_.position.microbatches - 1;
    if (again)
      for (const int id : recomputed_) emit_step(id, work.microbatch, program::Phase::recompute);
    for (int id = 0; id < static_cast<int>(e_.sharded.steps.size()); ++id) {
      if (!mine(id) || !covers(work.kind, step(id).phase)) continue;
      emit_step(id, work.microbatch, phase_of(step(id).phase));
      for (const ValueId output : step(id).outputs) send(output, work.microbatch);
      if (is_backward(step(id).phase) && e_.overlap) reduce_complete_buckets();
    }
  }

  void append(std::string name, program::Action action, program::Phase phase, int microbatch) {
    program::Instruction instruction;
    instruction.name = std::move(name);
    const bool compute = std::holds_alternative<program::Compute>(action);
    instruction.action = std::move(action);
    instruction.stream = compute ? program::Stream::compute : program::Stream::communication;
    instruction.phase = phase;
    instruction.microbatch = microbatch;
    instruction.stage = e_.position.stage;
    program_.body.push_back(std::move(instruction));
  }

  void emit_step(int id, int microbatch, program::Phase phase) {
    const Step& s = step(id);
    if (s.kind != Step::Kind::op) {
      require(!storage_.accumulates(s.outputs[0]), "the gradient of '" + s.name + "' is not made by an op");
      for (NamedAction& part : conversion(e_.sharded, s, e_.position, microbatch, instances_))
        append(std::move(part.name), std::move(part.action), program::Phase::communication, microbatch);
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
      compute.accumulate =
          compute.accumulate || (storage_.accumulates(output) && written_[static_cast<std::size_t>(output)] > 0);
      compute.outputs.push_back(instances_.make(output, microbatch));
      if (storage_.accumulates(output)) ++written_[static_cast<std::size_t>(output)];
    }
    for (const ValueId output : s.outputs)
      require(!compute.accumulate || storage_.accumulates(output), "an op adds to one output and writes another");
    append(s.name, std::move(compute), phase, microbatch);
  }

  /// Stages other than the producer's that consume a value, in order.
  std::set<int> destinations(ValueId id) const {
    std::set<int> stages;
    const Value& v = value(id);
    if (v.producer == graph::absent) return stages;
    for (const int consumer : v.consumers)
      if (stage_of(consumer) != stage_of(v.producer)) stages.insert(stage_of(consumer));
    return stages;
  }

  program::Message message(ValueId id, int microbatch, int other_stage, const Operand& operand) const {
    program::Message m;
    for (const program::Axis& axis : e_.position.mesh.axes()) {
      if (axis.name == "pipeline")
        m.peer.rules.push_back({program::CoordinateRule::Kind::offset, other_stage - e_.position.stage});
      else
        m.peer.rules.push_back({program::CoordinateRule::Kind::keep, 0});
    }
    m.operand = operand;
    m.tag = id * e_.position.microbatches + microbatch;
    return m;
  }

  const std::string& tensor_name(ValueId id) const {
    return e_.sharded.graph.tensors[static_cast<std::size_t>(value(id).tensor)].name;
  }

  void send(ValueId id, int microbatch) {
    for (const int stage : destinations(id))
      append("send " + tensor_name(id), program::Send{message(id, microbatch, stage, instances_.at(id, microbatch))},
             program::Phase::communication, microbatch);
  }

  void receive_for(const Work& work) {
    for (int id = 0; id < static_cast<int>(e_.sharded.steps.size()); ++id) {
      if (mine(id) || !covers(work.kind, step(id).phase)) continue;
      for (const ValueId output : step(id).outputs) {
        if (destinations(output).count(e_.position.stage) == 0) continue;
        const Operand operand = instances_.make(output, work.microbatch);
        append("receive " + tensor_name(output),
               program::Receive{message(output, work.microbatch, stage_of(id), operand)}, program::Phase::communication,
               work.microbatch);
      }
    }
  }

  bool complete(const Bucket& bucket) const {
    return std::all_of(bucket.members.begin(), bucket.members.end(), [this](std::size_t member) {
      const auto tensor = static_cast<std::size_t>(storage_.parameters()[member].tensor);
      return written_[static_cast<std::size_t>(e_.sharded.gradient_of[tensor])] == e_.position.microbatches;
    });
  }

  void reduce_complete_buckets() {
    for (std::size_t b = 0; b < buckets_.size() && complete(buckets_[b]); ++b) reduce(b);
  }

  void reduce(std::size_t index) {
    if (bucket_done_[index]) return;
    bucket_done_[index] = true;
    const Bucket& bucket = buckets_[index];
    if (bucket.partial_axes.empty() || bucket.begin == bucket.end) return;
    program::CollectiveCall call;
    call.group = {0, bucket.partial_axes, {}};
    call.input = call.output = storage_.flat(storage_.gradient_buffer(), bucket.begin, bucket.end);
    append("reduce bucket " + std::to_string(index), std::move(call), program::Phase::communication,
           e_.position.microbatches - 1);
  }

  void update(const Bucket& bucket) {
    if (bucket.begin == bucket.end) return;
    program::Compute compute;
    compute.op = e_.optimizer->update;
    const Operand parameters = storage_.flat(storage_.parameter_buffer(), bucket.begin, bucket.end);
    compute.inputs = {parameters, storage_.flat(storage_.gradient_buffer(), bucket.begin, bucket.end)};
    compute.outputs = {parameters};
    for (const program::BufferId state : storage_.state_buffers()) {
      compute.inputs.push_back(storage_.flat(state, bucket.begin, bucket.end));
      compute.outputs.push_back(compute.inputs.back());
    }
    append("update", std::move(compute), program::Phase::optimizer, e_.position.microbatches - 1);
  }

  const Emission& e_;
  program::Program& program_;
  Storage storage_;
  Instances instances_;
  std::vector<int> written_;  ///< per accumulated value: micro-batches so far
  std::vector<int> recomputed_;
  std::vector<Bucket> buckets_;
  std::vector<bool> bucket_done_;
};

}  // namespace

std::vector<program::StateShard> emit(const Emission& emission, program::Program& program) {
  return Emitter(emission, program).run();
}

}  // namespace ddlbench::strategies
