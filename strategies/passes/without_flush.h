#pragma once

#include <vector>

#include "program/cadence.h"
#include "strategies/passes/clock.h"

/// Pipelines without flush (PipeDream, Harlap et al. 2018). Each rank alternates between the forward pass of one
/// micro-batch and the backward pass of another one, which began Pipeline::backward_lag micro-batches before, and goes
/// on so from step to step. So a step of a rank has work on several batches. The age of a batch is the number of steps
/// since the one that loaded it.
namespace ddlbench::strategies {

/// The batches that exist in a step: not those before the first step after a prologue, nor those after the last one.
struct Ages {
  int youngest = 0;
  int oldest = 0;

  bool contains(int age) const { return age >= youngest && age <= oldest; }
  bool operator==(const Ages&) const = default;
};

/// Returns the age of the batch whose last backward pass a step of the rank has, and with whose gradient it updates.
int age_of_update(const Pipeline& pipeline, int rank);

/// Returns the greatest age of a batch on any rank: of the update of the first one.
int oldest_age(const Pipeline& pipeline);

/// Returns the number of updates by which the weights in the forward passes of a rank are behind those with which one
/// rank would compute the same gradient; in the backward passes they are as old, unless these use the newest ones,
/// which are behind by none.
int weight_delay(const Pipeline& pipeline, int rank);

/// Returns whether ranks keep only the newest version of their weights. Then backward passes use it, or an estimate
/// that follows from it, instead of the weights of their forward pass.
bool keeps_newest_only(const Pipeline& pipeline);

/// The weights that the forward or backward passes of a rank use in place of the newest ones: an estimate of what they
/// will be `updates` updates later (forward), or were that many updates before (backward). 0: they use the newest ones.
struct EstimatedWeights {
  int updates = 0;
  bool of_backward = false;
};
EstimatedWeights estimated_weights(const Pipeline& pipeline, int rank);

/// Returns the number of versions of its weights that a rank keeps.
int weight_versions(const Pipeline& pipeline, int rank);

/// Returns the age of the version that a rank uses for a batch of age `age`: 0 is the newest one that an earlier step
/// has made.
int weight_age(const Pipeline& pipeline, int rank, int age);

/// Returns the work of a rank in a step, at times in units of a pass: the forward pass of micro-batch m begins at 2m +
/// i on stage i, the backward pass beside it at 2m + i + 1.
std::vector<TimedWork> works_without_flush(const Pipeline& pipeline, int rank, const Ages& ages);

/// Returns how long after a rank begins its last backward pass of a batch the last rank of its stage begins its own.
double wait_before_sum(const Pipeline& pipeline, int rank);

/// The bodies of all steps: the cadence, and the ages that exist in each body. Body 0 is that of most steps.
struct StepsWithoutFlush {
  program::Cadence cadence;
  std::vector<Ages> bodies;
};
StepsWithoutFlush steps_without_flush(const Pipeline& pipeline);

}  // namespace ddlbench::strategies
