#include "strategies/passes/recompute.h"

#include <algorithm>
#include <cmath>

namespace ddlbench::strategies {

namespace {

const Value& value(const ShardedGraph& sharded, ValueId id) {
  return sharded.values[static_cast<std::size_t>(id)];
}

bool is_forward(const Step& step) {
  return step.phase == graph::Phase::forward;
}

const graph::Op& op_of(const ShardedGraph& sharded, const Step& step) {
  return *sharded.graph.nodes[static_cast<std::size_t>(step.node)].op;
}

/// Returns whether the result of `step` is kept or dropped together with its input: that of a view, and that of a
/// reduction over ranks, which may overwrite its input and could not be recomputed from that.
bool is_in_place(const ShardedGraph& sharded, const Step& step) {
  if (step.kind == Step::Kind::op) return op_of(sharded, step).is_view();
  return step.kind == Step::Kind::all_reduce || step.kind == Step::Kind::reduce_scatter;
}

/// A point after a forward step where only one value that a step produced is still needed in forward.
struct Cut {
  std::size_t behind = 0;  ///< index into the forward steps
  double bytes = 0;        ///< kept up to here if nothing were dropped
  double passing = 0;      ///< of that value
};

double bytes_of(const ShardedGraph& sharded, ValueId id) {
  return static_cast<double>(
      graph::bytes(sharded.graph.tensors[static_cast<std::size_t>(value(sharded, id).tensor)].type));
}

/// Returns whether backward needs the value, directly or through a result that shares its memory.
bool is_wanted(const ShardedGraph& sharded, ValueId id) {
  const std::vector<int>& consumers = value(sharded, id).consumers;
  return std::any_of(consumers.begin(), consumers.end(), [&](int consumer) {
    const Step& step = sharded.steps[static_cast<std::size_t>(consumer)];
    return !is_forward(step) || (is_in_place(sharded, step) && is_wanted(sharded, step.outputs[0]));
  });
}

/// Returns the bytes of `id`'s results that are kept for backward in memory of their own.
double kept_bytes(const ShardedGraph& sharded, int id) {
  const Step& step = sharded.steps[static_cast<std::size_t>(id)];
  double bytes = 0;
  if (is_in_place(sharded, step)) return bytes;
  for (const ValueId output : step.outputs)
    if (is_wanted(sharded, output)) bytes += bytes_of(sharded, output);
  return bytes;
}

std::vector<Cut> cuts_of(const ShardedGraph& sharded, const std::vector<int>& forward) {
  std::vector<int> open(forward.size(), 0);  // number of values produced at or before a step and needed after it
  std::vector<double> passing(forward.size(), 0);
  for (std::size_t i = 0; i < forward.size(); ++i)
    for (const ValueId output : sharded.steps[static_cast<std::size_t>(forward[i])].outputs) {
      std::size_t last = i;
      for (const int consumer : value(sharded, output).consumers) {
        const auto found = std::lower_bound(forward.begin(), forward.end(), consumer);
        if (found != forward.end() && *found == consumer)
          last = std::max(last, static_cast<std::size_t>(found - forward.begin()));
      }
      for (std::size_t j = i; j < last; ++j) {
        ++open[j];
        passing[j] += bytes_of(sharded, output);
      }
    }
  std::vector<Cut> cuts;
  double bytes = 0;
  for (std::size_t i = 0; i + 1 < forward.size(); ++i) {
    bytes += kept_bytes(sharded, forward[i]);
    if (open[i] == 1) cuts.push_back({i, bytes, passing[i]});
  }
  return cuts;
}

/// Returns at most `parts` − 1 of the cuts: those nearest to equal distances in the quantity `at`.
std::vector<Cut> spread(const std::vector<Cut>& cuts, std::size_t parts, auto at) {
  std::vector<Cut> chosen;
  for (std::size_t part = 1; part < parts; ++part) {
    const double wanted = at(cuts.back()) * static_cast<double>(part) / static_cast<double>(parts);
    const Cut nearest = *std::min_element(cuts.begin(), cuts.end(), [&](const Cut& a, const Cut& b) {
      return std::abs(at(a) - wanted) < std::abs(at(b) - wanted);
    });
    if (chosen.empty() || chosen.back().behind < nearest.behind) chosen.push_back(nearest);
  }
  return chosen;
}

/// Returns the peak bytes in backward: the values that pass the cuts, and the largest part, which is recomputed as a
/// whole.
double peak_of(const std::vector<Cut>& chosen, double total) {
  double passing = 0, largest = 0, begin = 0;
  for (const Cut& cut : chosen) {
    passing += cut.passing;
    largest = std::max(largest, cut.bytes - begin);
    begin = cut.bytes;
  }
  return passing + std::max(largest, total - begin);
}

/// Returns the cuts with the lowest peak, over all numbers of parts, spread evenly by bytes or by steps; empty where
/// none lowers the peak.
std::vector<Cut> best_cuts(const std::vector<Cut>& cuts, double total) {
  std::vector<Cut> best;
  double lowest = total;
  const auto most = static_cast<std::size_t>(2 * std::sqrt(static_cast<double>(cuts.size()))) + 2;
  for (std::size_t parts = 2; parts <= most && !cuts.empty(); ++parts)
    for (std::vector<Cut>& chosen : std::vector<std::vector<Cut>>{
             spread(cuts, parts, [](const Cut& cut) { return cut.bytes; }),
             spread(cuts, parts, [](const Cut& cut) { return static_cast<double>(cut.behind); })}) {
      const double peak = peak_of(chosen, total);
      if (peak >= lowest) continue;
      lowest = peak;
      best = std::move(chosen);
    }
  return best;
}

/// Marks the dropped steps of one rank's forward: all up to the last chosen cut, except those whose results pass a cut.
void drop_between_cuts(const ShardedGraph& sharded, const std::vector<int>& forward, std::vector<bool>& dropped) {
  double total = 0;
  for (const int id : forward) total += kept_bytes(sharded, id);
  const std::vector<Cut> chosen = best_cuts(cuts_of(sharded, forward), total);
  if (chosen.empty()) return;
  std::vector<bool> kept(forward.size(), false);
  const std::size_t last = chosen.back().behind;
  for (const Cut& cut : chosen)
    for (std::size_t i = 0; i <= cut.behind; ++i)
      for (const ValueId output : sharded.steps[static_cast<std::size_t>(forward[i])].outputs)
        for (const int consumer : value(sharded, output).consumers)
          if (consumer > forward[cut.behind] && is_forward(sharded.steps[static_cast<std::size_t>(consumer)]))
            kept[i] = true;
  for (std::size_t i = last + 1; i-- > 0;) {
    const Step& step = sharded.steps[static_cast<std::size_t>(forward[i])];
    if (!kept[i] || !is_in_place(sharded, step)) continue;
    const auto source = std::lower_bound(forward.begin(), forward.end(), value(sharded, step.inputs[0]).producer);
    if (source != forward.end()) kept[static_cast<std::size_t>(source - forward.begin())] = true;
  }
  for (std::size_t i = 0; i <= last; ++i) dropped[static_cast<std::size_t>(forward[i])] = !kept[i];
}

class RecomputeOrder {
 public:
  RecomputeOrder(const ShardedGraph& sharded, const StageMap& stages, const std::vector<bool>& dropped)
      : sharded_(sharded), stages_(stages), dropped_(dropped), done_(sharded.steps.size(), false) {}

  void place(int id, bool again) {
    for (const ValueId input : sharded_.steps[static_cast<std::size_t>(id)].inputs) {
      const int producer = value(sharded_, input).producer;
      if (producer == graph::absent || !dropped_[static_cast<std::size_t>(producer)]) continue;
      if (done_[static_cast<std::size_t>(producer)] || stages_.stage_of(producer) != stages_.stage_of(id)) continue;
      done_[static_cast<std::size_t>(producer)] = true;
      place(producer, true);
    }
    placed_.push_back({id, again});
  }

  std::vector<PlacedStep> result() && { return std::move(placed_); }

 private:
  const ShardedGraph& sharded_;
  const StageMap& stages_;
  const std::vector<bool>& dropped_;
  std::vector<bool> done_;
  std::vector<PlacedStep> placed_;
};

}  // namespace

bool Recomputation::applies_to(int stage) const {
  return stages.empty() || std::find(stages.begin(), stages.end(), stage) != stages.end();
}

bool Recomputation::drops(std::string_view op_kind) const {
  return kind == Kind::full || std::find(ops.begin(), ops.end(), op_kind) != ops.end();
}

std::vector<bool> dropped_steps(const ShardedGraph& sharded, const Recomputation& recomputation,
                                const StageMap& stages) {
  const bool pipeline = stages.pipeline.ranks > 1;
  std::vector<bool> dropped(sharded.steps.size(), false);
  if (recomputation.kind == Recomputation::Kind::none) return dropped;
  std::vector<int> forward;
  for (std::size_t id = 0; id < sharded.steps.size(); ++id)
    if (is_forward(sharded.steps[id])) forward.push_back(static_cast<int>(id));
  if (recomputation.kind == Recomputation::Kind::full && !pipeline) drop_between_cuts(sharded, forward, dropped);
  const auto applies_to = [&](int id) {
    return recomputation.applies_to(stages.stage_of(id) % stages.pipeline.stages_of_copy());
  };
  for (const int id : forward) {
    const Step& step = sharded.steps[static_cast<std::size_t>(id)];
    if (!applies_to(id)) {
      dropped[static_cast<std::size_t>(id)] = false;
      continue;
    }
    if (recomputation.kind == Recomputation::Kind::full && pipeline) dropped[static_cast<std::size_t>(id)] = true;
    if (recomputation.kind != Recomputation::Kind::selective || step.kind != Step::Kind::op) continue;
    dropped[static_cast<std::size_t>(id)] = recomputation.drops(op_of(sharded, step).kind());
  }
  for (const int id : forward) {
    const Step& step = sharded.steps[static_cast<std::size_t>(id)];
    if (!is_in_place(sharded, step) || !applies_to(id)) continue;
    const int source = value(sharded, step.inputs[0]).producer;
    if (source != graph::absent) dropped[static_cast<std::size_t>(id)] = dropped[static_cast<std::size_t>(source)];
  }
  return dropped;
}

std::vector<int> needed_in_forward(const ShardedGraph& sharded, const StageMap& stages,
                                   const std::vector<bool>& dropped, const std::vector<int>& steps) {
  std::vector<bool> wanted(sharded.steps.size(), false);
  const auto is_wanted = [&](ValueId output) {
    const std::vector<int>& consumers = sharded.values[static_cast<std::size_t>(output)].consumers;
    return consumers.empty() || std::any_of(consumers.begin(), consumers.end(), [&](int consumer) {
             return stages.stage_of(consumer) != stages.stage_of(steps.front()) ||
                    wanted[static_cast<std::size_t>(consumer)];
           });
  };
  std::vector<int> kept;
  for (auto id = steps.rbegin(); id != steps.rend(); ++id) {
    const std::vector<ValueId>& outputs = sharded.steps[static_cast<std::size_t>(*id)].outputs;
    if (dropped[static_cast<std::size_t>(*id)] && std::none_of(outputs.begin(), outputs.end(), is_wanted)) continue;
    wanted[static_cast<std::size_t>(*id)] = true;
    kept.push_back(*id);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

std::vector<PlacedStep> with_recomputation(const ShardedGraph& sharded, const StageMap& stages,
                                           const std::vector<bool>& dropped, const std::vector<int>& backward_steps) {
  RecomputeOrder placing(sharded, stages, dropped);
  for (const int step : backward_steps) placing.place(step, false);
  return std::move(placing).result();
}

}  // namespace ddlbench::strategies
