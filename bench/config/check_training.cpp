#include "bench/config/check_training.h"

#include <algorithm>

#include "bench/config/field.h"

namespace ddlbench::bench {
namespace {

std::string epochs(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " epoch" : " epochs");
}

class Checker {
 public:
  Checker(const Training& training, const json::Node& node, std::vector<json::Problem>& problems)
      : training_(training), node_(node), problems_(problems) {}

  void check() {
    if (training_.schedule.kind == "step") step_schedule();
    if (training_.schedule.minimum > training_.optimizer.learning_rate)
      report("schedule", "minimum", "is above the learning rate " + format_number(training_.optimizer.learning_rate));
    if (training_.schedule.warmup_steps > 0 && training_.schedule.warmup_epochs > 0)
      report("warmup_steps", "", "stands beside warmup_epochs: leave one of them out");
    if (training_.schedule.warmup_epochs >= training_.epochs)
      report("warmup_epochs", "", "leaves nothing of a training of " + epochs(training_.epochs));
    if (training_.optimizer.nesterov && training_.optimizer.momentum == 0)
      report("optimizer", "nesterov", "looks ahead along the momentum, which is 0");
    if (training_.precision != "fp16" && training_.loss_scale != LossScaleChoice{})
      report("loss_scale", "", "is of the precision \"fp16\" alone, and this is \"" + training_.precision + "\"");
    if (training_.loss.kind == "mean_squared_error" && training_.loss.label_smoothing > 0)
      report("label_smoothing", "", "is of the loss \"cross_entropy\" alone");
  }

 private:
  void step_schedule() {
    const auto& [milestones, every] = std::pair{training_.schedule.milestones, training_.schedule.every_epochs};
    if (milestones.empty() == (every == 0)) report("schedule", "milestones", "needs either milestones or every_epochs");
    if (every >= training_.epochs)
      report("schedule", "every_epochs", "is never reached by a training of " + epochs(training_.epochs));
    for (std::size_t i = 0; i < milestones.size(); ++i) {
      if (milestones[i] <= (i == 0 ? 0 : milestones[i - 1]))
        return report("schedule", "milestones", "must be above 0, each above the one before it");
      if (milestones[i] >= training_.epochs)
        return report("schedule", "milestones",
                      std::to_string(milestones[i]) + " is never reached by a training of " + epochs(training_.epochs));
    }
  }

  /// At the setting where it was written, else at what it belongs to.
  void report(const std::string& key, const std::string& setting, std::string what) {
    std::string pointer = "/training/" + key;
    const json::Member* member = node_.find(key);
    json::Location at = member != nullptr ? member->value.at : node_.at;
    if (!setting.empty()) {
      pointer += "/" + setting;
      const json::Member* inner = member != nullptr ? member->value.find(setting) : nullptr;
      if (inner != nullptr) at = inner->value.at;
    }
    problems_.push_back({at, pointer, std::move(what)});
  }

  const Training& training_;
  const json::Node& node_;
  std::vector<json::Problem>& problems_;
};

}  // namespace

void check_training(const Experiment& experiment, const json::Node& document, std::vector<json::Problem>& problems) {
  Checker(experiment.training, document.find("training")->value, problems).check();
}

}  // namespace ddlbench::bench
