#include "bench/case/replay.h"

#include <fmt/core.h>
#include <algorithm>
#include <optional>

#include "base/error.h"
#include "bench/case/certificate_memory.h"
#include "bench/case/device_options.h"
#include "bench/case/rank_states.h"
#include "bench/case/rule_gradients.h"
#include "bench/case/weight_history.h"
#include "graph/ops/batch_norm.h"
#include "graph/ops/codec.h"
#include "runtime/metric_shares.h"

namespace ddlbench::bench {
namespace {

using program::MemoryClass;

/// How a batch is split into parts whose gradients are encoded apart.
struct Split {
  int ranks = 1;
  int microbatches = 1;  ///< each of which is split by ranks
  bool apart = false;    ///< the micro-batches of a rank are parts of their own

  int parts() const { return apart ? ranks * microbatches : ranks; }
};

/// Of each rank that has weights of its own, in copies of the parameters: states (up to masters and two of the
/// optimizer), those after mixing, and what two traces have.
constexpr std::int64_t copied_states = 4 + 4 + 6;

/// Returns the same batches in the order of their parts.
std::vector<workloads::SampleDraw> in_parts(const std::vector<workloads::SampleDraw>& order, std::int64_t batch,
                                            const Split& split) {
  std::vector<workloads::SampleDraw> result;
  for (std::int64_t first = 0; first < static_cast<std::int64_t>(order.size()); first += batch) {
    const auto add = [&](int rank, int microbatch) {
      const graph::Extent whole = graph::part_of(batch, split.microbatches, microbatch);
      const graph::Extent own = graph::part_of(whole.size(), split.ranks, rank);
      const auto begin = order.begin() + first + whole.begin + own.begin;
      result.insert(result.end(), begin, begin + own.size());
    };
    if (split.apart) {
      for (int j = 0; j < split.microbatches; ++j)
        for (int rank = 0; rank < split.ranks; ++rank) add(rank, j);
    } else {
      for (int rank = 0; rank < split.ranks; ++rank)
        for (int j = 0; j < split.microbatches; ++j) add(rank, j);
    }
  }
  return result;
}

/// A training on one rank that computes the gradients of one part of a batch after the other.
class Replay {
 public:
  Replay(const Setup& setup, const program::UpdateRule& rule, int parts, const program::Plan& plan,
         kernels::Device& device, comm::Communicator& communicator)
      : setup_(setup),
        rule_(rule),
        parts_(parts),
        communicator_(communicator),
        engine_(plan, device, communicator),
        feed_(setup.training, plan, 0, runtime::Mode::train, loader_options(setup)),
        schedule_(schedule_of(setup)),
        loss_(runtime::position_of_metric(plan, &program::Role::train, "loss")) {
    for (const program::HeldState& held : program::held_state(plan, 0)) {
      if (held.shard->memory_class == MemoryClass::gradients)
        gradients_.push_back(held);
      else if (held.shard->memory_class == MemoryClass::statistics)
        statistics_.push_back(held);
      else
        updated_.push_back(held);
    }
    if (!rule.delays.empty()) history_.emplace(rule, engine_, updated_);
  }

  runtime::Trace record(std::vector<workloads::SampleDraw> order, const CertifiedSteps& steps, Heartbeat& heartbeat,
                        Weights weights) {
    RuleGradients sums(rule_, gradients_.front().shard->whole.dtype);
    engine_.initialize(setup_.which.seed);
    if (history_) history_->clear();
    load_start(setup_, engine_, communicator_, runtime::Digests::checked);
    if (weights == Weights::nudged) nudge_weights(engine_, 0, setup_.which.seed);
    if (rule_.own_weights) {
      copies_.emplace(rule_.auxiliaries, rule_.ranks, updated_, read(updated_));
      statistics_of_rank_.assign(static_cast<std::size_t>(rule_.ranks), read(statistics_));
    }
    runtime::Trace trace;
    note_state(trace.initial, trace.initial_statistics);
    feed_.begin(std::move(order));
    for (std::int64_t step = 0; step < steps.count; ++step) {
      const bool had_updated = step > 0 && has_updated(engine_);
      trace.losses.push_back(train_step(setup_.start.steps + steps.first + step, sums, heartbeat));
      if (!had_updated && has_updated(engine_)) {
        trace.first_gradients = last_gradients_;
        if (history_) history_->forget_versions();  // the strategy is drained when its first gradients are read
      }
      heartbeat.step("reference");
    }
    engine_.drain(runtime::Mode::train);
    note_state(trace.final, trace.final_statistics);
    return trace;
  }

 private:
  /// Stores weights and statistics; those of rank r as "NAME@r" if ranks have their own.
  void note_state(runtime::Tensors& weights, runtime::Tensors& statistics) {
    if (!copies_) {
      weights = weights_of(engine_, communicator_);
      statistics = runtime::gather(engine_, MemoryClass::statistics, communicator_);
      return;
    }
    for (int rank = 0; rank < rule_.ranks; ++rank) {
      write(updated_, copies_->of(rank));
      write(statistics_, statistics_of_rank_[static_cast<std::size_t>(rank)]);
      add_of_rank(rank, weights_of(engine_, communicator_), weights);
      add_of_rank(rank, runtime::gather(engine_, MemoryClass::statistics, communicator_), statistics);
    }
  }

  static void add_of_rank(int rank, runtime::Tensors of_rank, runtime::Tensors& to) {
    for (auto& [name, values] : of_rank) to[program::of_rank(name, rank)] = std::move(values);
  }

  States read(const std::vector<program::HeldState>& held) const { return read_states(engine_, held); }

  void write(const std::vector<program::HeldState>& held, const States& states) {
    for (std::size_t i = 0; i < held.size(); ++i) engine_.write(held[i], states[i].data());
  }

  runtime::Tensors read_gradients() const {
    runtime::Tensors gradients;
    for (const program::HeldState& held : gradients_) {
      std::vector<float>& values = gradients[held.shard->tensor];
      values.resize(static_cast<std::size_t>(held.elements.size()));
      engine_.read(held, values.data());
    }
    return gradients;
  }

  /// Returns the loss of the step's whole batch.
  double train_step(std::int64_t step, RuleGradients& sums, Heartbeat& heartbeat) {
    if (history_) return delayed_step(step, heartbeat);
    if (!copies_) return shared_step(step, sums, heartbeat);
    const program::CopiesStep& kind = rule_.of(step).copies;
    if (!kind.sums_gradients) return step_of_copies(step, kind, heartbeat);
    require(copies_->equal(), "ranks with different weights cannot share gradients");
    write(updated_, copies_->of(0));
    write(statistics_, statistics_of_rank_.front());
    const double loss = shared_step(step, sums, heartbeat);
    copies_->set_all(read(updated_));
    std::fill(statistics_of_rank_.begin(), statistics_of_rank_.end(), read(statistics_));
    const runtime::Tensors shared = std::exchange(last_gradients_, {});
    for (int rank = 0; rank < rule_.ranks; ++rank) add_of_rank(rank, shared, last_gradients_);
    return loss;
  }

  /// A step in which each rank updates its own weights with the gradient of its own samples.
  double step_of_copies(std::int64_t step, const program::CopiesStep& kind, Heartbeat& heartbeat) {
    std::vector<States> mixed;
    if (kind.mixes_first) mixed = copies_->mixed(kind);
    last_gradients_.clear();
    double loss = 0;
    for (int rank = 0; rank < rule_.ranks; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      write(updated_, copies_->of(rank));
      write(statistics_, statistics_of_rank_[r]);
      const graph::Scalars scalars = scalars_of(step);
      engine_.set_hook([&, done = false](runtime::Mode, const program::Instruction& next) mutable {
        if (done || next.phase != program::Phase::optimizer) return;
        done = true;
        runtime::Tensors gradients = read_gradients();
        for (const program::HeldState& held : gradients_) {
          std::vector<float>& values = gradients.at(held.shard->tensor);
          for (float& value : values) value *= static_cast<float>(rule_.ranks);
          engine_.write(held, values.data());
        }
        add_of_rank(rank, read_gradients(), last_gradients_);
        if (kind.mixes_first) write(updated_, copies_->with_weights(copies_->of(rank), mixed[r]));
      });
      engine_.step(runtime::Mode::train, scalars);
      loss += engine_.metrics(runtime::Mode::train).at(loss_);
      copies_->set(rank, read(updated_));
      statistics_of_rank_[r] = read(statistics_);
      heartbeat.enter("reference");
    }
    engine_.set_hook({});
    if (!kind.mixes_first) copies_->mix(kind);
    return loss;
  }

  /// Loads the samples of the next part, and returns the scalars of its step.
  graph::Scalars scalars_of(std::int64_t step) {
    const std::int64_t count = feed_.next(engine_);
    require(count > 0, "the sample order is too short for the replayed steps");
    graph::Scalars scalars;
    scalars.seed = setup_.which.seed;
    scalars.step = step;
    scalars.scaler.updates = static_cast<float>(step);
    scalars.inverse_count = 1.0F / static_cast<float>(count * parts_);
    scalars.learning_rate = static_cast<float>(schedule_.rate(step));
    return scalars;
  }

  /// A step whose gradients are computed from older weights.
  double delayed_step(std::int64_t step, Heartbeat& heartbeat) {
    const graph::Scalars scalars = scalars_of(step);
    history_->begin_forward(step, scalars.learning_rate);
    engine_.set_hook([&, forward = true, done = false](runtime::Mode, const program::Instruction& next) mutable {
      const bool updates = next.phase == program::Phase::optimizer;
      if (forward && !updates && rule_.delays_forward_only && next.phase != program::Phase::forward) {
        forward = false;
        history_->begin_backward();
      }
      if (done || !updates) return;
      done = true;
      last_gradients_ = read_gradients();
      history_->begin_update();
    });
    engine_.step(runtime::Mode::train, scalars);
    engine_.set_hook({});
    history_->end_update(step);
    heartbeat.enter("reference");
    return engine_.metrics(runtime::Mode::train).at(loss_);
  }

  double shared_step(std::int64_t step, RuleGradients& sums, Heartbeat& heartbeat) {
    const States before = read(updated_), statistics_before = read(statistics_);
    States statistics_sum;
    double loss = 0;
    for (int part = 0; part < parts_; ++part) {
      const bool is_last = part + 1 == parts_;
      if (part > 0) {
        write(updated_, before);
        write(statistics_, statistics_before);
      }
      const graph::Scalars scalars = scalars_of(step);
      if (is_last) replace_gradients(sums, scalars);
      engine_.step(runtime::Mode::train, scalars);
      loss += engine_.metrics(runtime::Mode::train).at(loss_);
      if (!is_last) sums.add(read_gradients(), scalars);
      add(read(statistics_), statistics_sum);
      heartbeat.enter("reference");
    }
    engine_.set_hook({});
    for (std::vector<float>& values : statistics_sum)
      for (float& value : values) value /= static_cast<float>(parts_);
    write(statistics_, statistics_sum);
    return loss;
  }

  /// Makes the next step update with the gradient of all parts, of which its own is the last.
  void replace_gradients(RuleGradients& sums, const graph::Scalars& scalars) {
    engine_.set_hook([this, &sums, scalars, done = false](runtime::Mode, const program::Instruction& next) mutable {
      if (done || next.phase != program::Phase::optimizer) return;
      done = true;
      sums.add(read_gradients(), scalars);
      last_gradients_ = sums.take(scalars);
      for (const program::HeldState& held : gradients_)
        engine_.write(held, last_gradients_.at(held.shard->tensor).data());
    });
  }

  static void add(const States& more, States& sum) {
    if (sum.empty()) {
      sum = more;
      return;
    }
    for (std::size_t i = 0; i < sum.size(); ++i)
      for (std::size_t j = 0; j < sum[i].size(); ++j) sum[i][j] += more[i][j];
  }

  const Setup& setup_;
  const program::UpdateRule& rule_;
  const int parts_;  ///< of a batch
  comm::Communicator& communicator_;
  runtime::Engine engine_;
  Feed feed_;
  Schedule schedule_;
  std::size_t loss_;  ///< among the metrics
  std::vector<program::HeldState> gradients_, statistics_, updated_;
  std::optional<WeightHistory> history_;  ///< where the rule has delays
  runtime::Tensors last_gradients_;
  std::optional<RankStates> copies_;  ///< where ranks have weights of their own
  std::vector<States> statistics_of_rank_;
};

}  // namespace

Reference run_replay(const Setup& setup, const program::UpdateRule& rule, int microbatches, const CertifiedSteps& steps,
                     Heartbeat& heartbeat, const platform::MemoryProbe& memory) {
  const Split split{rule.ranks, microbatches, rule.each_microbatch};
  const std::int64_t part = setup.which.global_batch / split.parts();
  const std::vector<workloads::SampleDraw> order =
      in_parts(training_order(setup, steps.count), setup.which.global_batch, split);
  const std::vector<program::BucketRule>& buckets = rule.steps.back().buckets;
  const bool has_residuals = std::any_of(buckets.begin(), buckets.end(), [](const auto& bucket) {
    const auto* encode = dynamic_cast<const graph::Encode*>(bucket.encode.get());
    return bucket.low_rank || (encode != nullptr && encode->feedback);
  });
  Reference reference;
  if ((has_residuals || rule.own_weights || rule.corrects) && setup.experiment.training.checkpoint.resume) {
    reference.missing = fmt::format("no replay of the rule: it would need the {} of the checkpoint",
                                    rule.own_weights ? "weights of all ranks"
                                    : rule.corrects  ? "mean changes"
                                                     : "residuals");
    heartbeat.skip(2 * steps.count);
    return reference;
  }
  const ModelBytes model = bytes_of(setup.model);
  // Beside what run_reference() needs: a part's gradients, their sum, a copy of the state, and residuals of each part.
  const std::int64_t copies = 8 + WeightHistory::copies(rule) + (has_residuals ? 2 * split.parts() : 0) +
                              (rule.own_weights ? copied_states * rule.ranks : 0);
  OneRank how;
  how.extra_bytes = 2 * model.trace() + model.largest + copies * model.parameters + library_overhead_bytes;
  how.memory = memory;
  how.progress = [&] { heartbeat.enter("reference"); };
  reference.missing = on_one_rank(
      setup, compile_part(setup, how.single, part),
      [&](const program::Plan& plan, kernels::Device& device, comm::Communicator& communicator) {
        Replay replay(setup, rule, split.parts(), plan, device, communicator);
        reference.trace = replay.record(order, steps, heartbeat, Weights::initial);
        const std::int64_t group = graph::samples_per_statistic(setup.model);
        const auto reordered = reordered_batches(order, part, group, setup.which.seed);
        reference.noise = runtime::noise(replay.record(reordered, steps, heartbeat, Weights::nudged), reference.trace);
      },
      how);
  if (!reference.missing.empty()) heartbeat.skip(2 * steps.count);
  return reference;
}

}  // namespace ddlbench::bench
