#include "bench/case/weight_history.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "base/error.h"

namespace ddlbench::bench {

using program::HeldState;

WeightHistory::WeightHistory(const program::UpdateRule& rule, runtime::Engine& engine,
                             const std::vector<HeldState>& held)
    : rule_(rule), engine_(engine) {
  const auto find = [&held](const std::string& name) -> const HeldState* {
    for (const HeldState& one : held)
      if (one.shard->tensor == name) return &one;
    return nullptr;
  };
  for (const HeldState& one : held) {
    if (one.shard->memory_class != program::MemoryClass::parameters) continue;
    const std::string& name = one.shard->tensor;
    const HeldState* master = find(name + program::master_suffix);
    parameters_.push_back(one);
    masters_.push_back(master == nullptr ? one : *master);
    rates_.push_back({rule.delays.at(name), rule.rate_steps});
    if (!rule.predicts) continue;
    const HeldState* momentum = find(name + ".momentum");
    require(momentum != nullptr, "a rule predicts '" + name + "', which has no momentum");
    momenta_.push_back(*momentum);
  }
  clear();
}

std::int64_t WeightHistory::copies(const program::UpdateRule& rule) {
  std::int64_t versions = 0;
  for (const auto& [parameter, delay] : rule.delays) versions = std::max(versions, delay + 1);
  // Beside the versions: the weights used, and with masters before and after the update, mean changes.
  return rule.delays.empty() ? 0 : versions * (rule.predicts ? 3 : 1) + 4;
}

void WeightHistory::clear() {
  forget_versions();
  mean_changes_.clear();
  if (!rule_.corrects) return;
  for (const HeldState& master : masters_)
    mean_changes_.emplace_back(static_cast<std::size_t>(master.elements.size()), 0.0F);
}

void WeightHistory::begin_forward(std::int64_t step, float learning_rate) {
  const auto by_delay = [](const auto& a, const auto& b) { return a.delay < b.delay; };
  const auto most = static_cast<std::size_t>(std::max_element(rates_.begin(), rates_.end(), by_delay)->delay);
  if (versions_.size() > most) versions_.resize(most);
  Version& newest = versions_.emplace_front();
  newest.weights = read_states(engine_, parameters_);
  if (rule_.predicts) newest.masters = read_states(engine_, masters_), newest.momenta = read_states(engine_, momenta_);
  if (follows_updates()) newest_masters_ = read_states(engine_, masters_);
  States used;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const std::size_t delay = std::min(static_cast<std::size_t>(rates_[i].delay), versions_.size() - 1);
    const Version& version = versions_[delay];
    if (!rule_.predicts || delay == 0) {
      used.push_back(version.weights[i]);
      continue;
    }
    const auto rate = static_cast<float>(learning_rate * rates_[i].factor(step));
    std::vector<float> values = version.masters[i];
    for (std::size_t e = 0; e < values.size(); ++e)
      values[e] -= rate * (static_cast<float>(delay) * version.momenta[i][e]);
    used.push_back(std::move(values));
  }
  write(parameters_, used);
}

void WeightHistory::begin_backward() {
  if (!rule_.corrects) return begin_update();
  States corrected = newest_masters_;
  for (std::size_t i = 0; i < corrected.size(); ++i) {
    const auto delay = static_cast<float>(rates_[i].delay);
    for (std::size_t e = 0; e < corrected[i].size(); ++e) corrected[i][e] -= delay * mean_changes_[i][e];
  }
  write(parameters_, corrected);
}

void WeightHistory::begin_update() {
  write(parameters_, versions_.front().weights);
}

void WeightHistory::end_update(std::int64_t step) {
  if (!follows_updates()) return;
  const States& before = newest_masters_;
  States after = read_states(engine_, masters_);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto factor = static_cast<float>(rates_[i].factor(step));
    if (factor == 1) continue;
    for (std::size_t e = 0; e < after[i].size(); ++e)
      after[i][e] = before[i][e] + factor * (after[i][e] - before[i][e]);
  }
  write(masters_, after);
  write(parameters_, after);
  for (std::size_t i = 0; i < mean_changes_.size(); ++i) {
    if (rates_[i].delay == 0) continue;
    const auto kept = static_cast<float>(std::pow(rule_.correction_decay, 1.0 / static_cast<double>(rates_[i].delay)));
    for (std::size_t e = 0; e < after[i].size(); ++e)
      mean_changes_[i][e] = kept * mean_changes_[i][e] + (1 - kept) * (after[i][e] - before[i][e]);
  }
}

void WeightHistory::write(const std::vector<HeldState>& held, const States& states) {
  for (std::size_t i = 0; i < held.size(); ++i) engine_.write(held[i], states[i].data());
}

}  // namespace ddlbench::bench
