#include "strategies/passes/without_flush.h"

#include <algorithm>

namespace ddlbench::strategies {
namespace {

/// Returns the age of the batch of the backward pass beside forward pass `microbatch`.
int age_of_backward(const Pipeline& pipeline, int rank, int microbatch) {
  const int m = pipeline.microbatches;
  return (pipeline.backward_lag(rank) - microbatch + m - 1) / m;
}

}  // namespace

int age_of_update(const Pipeline& pipeline, int rank) {
  return age_of_backward(pipeline, rank, 0);
}

int oldest_age(const Pipeline& pipeline) {
  return age_of_update(pipeline, 0);
}

int weight_delay(const Pipeline& pipeline, int rank) {
  return age_of_update(pipeline, pipeline.weights == WeightVersions::vertical_sync ? 0 : rank);
}

bool keeps_newest_only(const Pipeline& pipeline) {
  return pipeline.weights != WeightVersions::stashed && pipeline.weights != WeightVersions::vertical_sync;
}

EstimatedWeights estimated_weights(const Pipeline& pipeline, int rank) {
  const bool corrects = pipeline.weights == WeightVersions::corrected;
  const bool estimates = corrects || pipeline.weights == WeightVersions::predicted;
  if (pipeline.flushes || !estimates) return {};
  return {weight_delay(pipeline, rank), corrects};
}

int weight_versions(const Pipeline& pipeline, int rank) {
  return pipeline.flushes || keeps_newest_only(pipeline) ? 1 : 1 + weight_delay(pipeline, rank);
}

int weight_age(const Pipeline& pipeline, int rank, int age) {
  if (weight_versions(pipeline, rank) == 1) return 0;
  return age + weight_delay(pipeline, rank) - age_of_update(pipeline, rank);
}

std::vector<TimedWork> works_without_flush(const Pipeline& pipeline, int rank, const Ages& ages) {
  std::vector<TimedWork> works;
  const int m = pipeline.microbatches;
  const auto add = [&](Work work, double begin) {
    if (!ages.contains(work.age)) return;
    work.chunk = pipeline.chunk_of(rank, work.microbatch);
    works.push_back({work, pipeline.stage_of(work.chunk, rank), begin, begin + 1});
  };
  const int stage = pipeline.stage_ranks_of(rank).stage;
  for (const int forward : pipeline.microbatches_of(rank)) {
    const int age = age_of_backward(pipeline, rank, forward), begin = 2 * forward + stage;
    add({Work::Kind::forward, 0, forward, 0}, begin);
    add({Work::Kind::backward, 0, forward - pipeline.backward_lag(rank) + age * m, age}, begin + 1);
  }
  return works;
}

double wait_before_sum(const Pipeline& pipeline, int rank) {
  const auto [stage, first, count] = pipeline.stage_ranks_of(rank);
  return 2.0 * (first + count - 1 - rank);
}

StepsWithoutFlush steps_without_flush(const Pipeline& pipeline) {
  const int oldest = oldest_age(pipeline);
  StepsWithoutFlush steps{{}, {{0, oldest}}};
  const auto body_of = [&steps](const Ages& ages) {
    const auto found = std::find(steps.bodies.begin(), steps.bodies.end(), ages);
    const auto body = static_cast<int>(found - steps.bodies.begin());
    if (found == steps.bodies.end()) steps.bodies.push_back(ages);
    return body;
  };
  for (int before = 0; before < oldest; ++before) steps.cadence.fill.push_back(body_of({0, before}));
  for (int count = 1; count <= oldest; ++count) {
    std::vector<int>& drain = steps.cadence.drain.emplace_back();
    for (int after = 1; after <= oldest; ++after)
      drain.push_back(body_of({after, std::min(count - 1 + after, oldest)}));
  }
  return steps;
}

}  // namespace ddlbench::strategies
