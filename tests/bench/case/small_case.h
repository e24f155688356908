#pragma once

#include <string>
#include <vector>

#include "bench/case/case_runner.h"

namespace ddlbench::bench {

/// Returns settings without a prediction, which takes longer than all other phases of a small case.
inline Measure without_prediction(Measure settings) {
  settings.predict = false;
  return settings;
}

/// A case that takes a fraction of a second: 64 features in 4 classes, learnable.
struct SmallCase {
  Experiment experiment;
  Case which;

  explicit SmallCase(const std::string& strategy, int ranks = 1, const OptionValues& options = {}) {
    experiment.name = "small";
    experiment.workload.model = {"mlp", {{"hidden", Integers{32, 16}}}};
    experiment.workload.dataset = {"synthetic",
                                   {{"shape", std::string("1x8x8")},
                                    {"classes", std::int64_t{4}},
                                    {"train_samples", std::int64_t{500}},
                                    {"validation_samples", std::int64_t{100}}}};
    experiment.training.epochs = 3;
    experiment.training.precision = "fp32";
    experiment.training.optimizer = {"sgd", {{"learning_rate", 0.05}, {"momentum", 0.9}}};
    experiment.devices.kind = "reference";
    experiment.devices.transport = "threads";
    experiment.measure = without_prediction({2, 8, 2, 3, 30});
    which.id = "000-" + strategy;
    which.strategy.choice = {strategy, options};
    which.ranks = ranks;
    which.global_batch = 48;
    which.seed = 1;
  }
};

/// Records everything that a case reports.
class RecordedProgress final : public Progress {
 public:
  void alive(const std::string& phase, double fraction) override {
    if (phases.empty() || phases.back() != phase) phases.push_back(phase);
    fractions.push_back(fraction);
  }
  void epoch(const EpochRecord& record) override { epochs.push_back(record); }
  void validation(const ValidationRecord& record) override { validations.push_back(record); }
  void rank(const RankRecord& record) override { ranks.push_back(record); }

  std::vector<std::string> phases;
  std::vector<double> fractions;
  std::vector<EpochRecord> epochs;
  std::vector<ValidationRecord> validations;
  std::vector<RankRecord> ranks;
};

/// Runs the case without a trace, and returns what it reported.
inline RecordedProgress recorded_run(const SmallCase& small) {
  RecordedProgress heard;
  run_case(small.experiment, small.which, "", heard);
  return heard;
}

}  // namespace ddlbench::bench
