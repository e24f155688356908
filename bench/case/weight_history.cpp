#include "bench/case/weight_history.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/error.h"

namespace ddlbench::bench {

using program::HeldState;

WeightHistory::WeightHistory(const program::UpdateRule& rule, const runtime::Engine& engine,
                             const std::vector<HeldState>& held)
    : rule_(rule), engine_(engine) {
  const auto find = [&held](const std::string& name) -> const HeldState* {
    for (const HeldState& one : held)
      if (one.shard->tensor == name) return &one;
    return nullptr;
  };
  for (const HeldState& one : held) {
    if (one.shard->memory_class != program::MemoryClass::parameters) continue;
    parameters_.push_back(one);
    const std::string& name = one.shard->tensor;
    delays_.push_back(static_cast<std::size_t>(rule.delays.at(name)));
    if (!rule.predicts) continue;
    const HeldState *master = find(name + program::master_suffix), *momentum = find(name + ".momentum");
    require(momentum != nullptr, "a rule predicts '" + name + "', which has no momentum");
    masters_.push_back(master == nullptr ? one : *master);
    momenta_.push_back(*momentum);
  }
}

States WeightHistory::next(float learning_rate) {
  versions_.push_front(
      {read_states(engine_, parameters_), read_states(engine_, masters_), read_states(engine_, momenta_)});
  States used;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const std::size_t delay = std::min(delays_[i], versions_.size() - 1);
    const Version& version = versions_[delay];
    if (!rule_.predicts || delay == 0) {
      used.push_back(version.weights[i]);
      continue;
    }
    std::vector<float> values = version.masters[i];
    for (std::size_t e = 0; e < values.size(); ++e)
      values[e] -= learning_rate * (static_cast<float>(delay) * version.momenta[i][e]);
    used.push_back(std::move(values));
  }
  const std::size_t most = *std::max_element(delays_.begin(), delays_.end());
  if (versions_.size() > most) versions_.resize(most);
  return used;
}

}  // namespace ddlbench::bench
