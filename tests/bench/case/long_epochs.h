#pragma once

#include <fmt/core.h>
#include <string>

#include "small_case.h"

/// Cases that can be cut within an epoch, and what is compared then.
namespace ddlbench::test {

/// Returns all numbers of a record but times.
inline std::string metrics_of(const bench::EpochRecord& r) {
  return fmt::format("epoch {} step {} {} {} {} {} {} {}", r.epoch, r.step.value_or(-1), r.train_loss,
                     r.validation_loss, r.accuracy_ratio, r.top5_accuracy_ratio, r.loss_scale.value_or(-1),
                     r.skipped_steps.value_or(-1));
}

/// Does the same within an epoch.
inline std::string metrics_of(const bench::ValidationRecord& r) {
  return fmt::format("epoch {} step {} {} {} {} {} {} {}", r.epoch, r.step, r.train_loss, r.validation_loss,
                     r.accuracy_ratio, r.top5_accuracy_ratio, r.loss_scale.value_or(-1), r.skipped_steps.value_or(-1));
}

/// Returns `small` with five steps in each of three epochs, and minimal measurement.
inline bench::SmallCase with_long_epochs(bench::SmallCase small) {
  small.experiment.workload.dataset.options["train_samples"] = std::int64_t{240};
  small.experiment.training.epochs = 3;
  small.experiment.training.seed = {1};
  small.experiment.measure = bench::without_prediction({0, 1, 1, 0, 30});
  small.which.contract_id = "contract";
  return small;
}

}  // namespace ddlbench::test
