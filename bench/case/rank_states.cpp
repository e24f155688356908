#include "bench/case/rank_states.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/error.h"

namespace ddlbench::bench {
namespace {

using program::Matrix;
using program::MemoryClass;

/// Replaces values[i][e], for each element e, by the sum of what all had, weighted by row i of `matrix`.
void multiply(const Matrix& matrix, const std::vector<std::vector<float>*>& values) {
  require(matrix.size() == values.size(), "a rule mixes {} copies, but there are {}", matrix.size(), values.size());
  std::vector<float> before(values.size());
  for (std::size_t e = 0; e < values.front()->size(); ++e) {
    for (std::size_t i = 0; i < values.size(); ++i) before[i] = (*values[i])[e];
    for (std::size_t i = 0; i < values.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < values.size(); ++j) sum += matrix[i].at(j) * before[j];
      (*values[i])[e] = static_cast<float>(sum);
    }
  }
}

}  // namespace

RankStates::RankStates(const std::vector<bool>& auxiliaries, int ranks, const std::vector<program::HeldState>& held,
                       const States& initial)
    : masters_(held.size(), 0), ranks_(static_cast<std::size_t>(ranks), initial) {
  std::map<std::string, std::size_t> master_of;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (const auto parameter = program::parameter_of_master(held[i].shard->tensor)) master_of[*parameter] = i;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const program::StateShard& shard = *held[i].shard;
    const auto master = master_of.find(shard.tensor);
    const bool is_parameter = shard.memory_class == MemoryClass::parameters;
    if (is_parameter && master != master_of.end()) {
      kinds_.push_back(Kind::rounded_weight);
      masters_[i] = master->second;
    } else {
      kinds_.push_back(is_parameter || program::parameter_of_master(shard.tensor) ? Kind::weight : Kind::state);
    }
  }
  for (const bool begins_with_weights : auxiliaries) {
    States& auxiliary = auxiliaries_.emplace_back(initial);
    for (std::size_t i = 0; i < auxiliary.size(); ++i) {
      if (kinds_[i] != Kind::weight) auxiliary[i].clear();
      if (!begins_with_weights) std::fill(auxiliary[i].begin(), auxiliary[i].end(), 0.0F);
    }
  }
}

void RankStates::set_all(const States& states) {
  std::fill(ranks_.begin(), ranks_.end(), states);
}

bool RankStates::equal() const {
  return std::all_of(ranks_.begin(), ranks_.end(), [this](const States& states) { return states == ranks_.front(); });
}

std::vector<States> RankStates::mixed(const program::CopiesStep& step) {
  std::vector<States> result = ranks_;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const Matrix& matrix = kinds_[i] == Kind::weight ? step.weights : step.states;
    if (matrix.empty() || kinds_[i] == Kind::rounded_weight) continue;
    std::vector<std::vector<float>*> values;
    for (States& states : result) values.push_back(&states[i]);
    if (kinds_[i] == Kind::weight)
      for (States& auxiliary : auxiliaries_) values.push_back(&auxiliary[i]);
    multiply(matrix, values);
  }
  for (States& states : result)
    for (std::size_t i = 0; i < kinds_.size(); ++i)
      if (kinds_[i] == Kind::rounded_weight) states[i] = states[masters_[i]];  // rounded when it is written
  return result;
}

States RankStates::with_weights(States states, const States& weights) const {
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i] != Kind::state) states[i] = weights[i];
  }
  return states;
}

States read_states(const runtime::Engine& engine, const std::vector<program::HeldState>& held) {
  States states;
  for (const program::HeldState& one : held) {
    states.emplace_back(static_cast<std::size_t>(one.elements.size()));
    engine.read(one, states.back().data());
  }
  return states;
}

}  // namespace ddlbench::bench
