#include "bench/config/check_training.h"

#include "base/counted.h"
#include "base/names.h"

namespace ddlbench::bench {
namespace {

class TrainingChecker {
 public:
  TrainingChecker(const Experiment& experiment, const Variant& variant, std::vector<json::Problem>& problems)
      : experiment_(experiment), variant_(variant), training_(variant.training), problems_(problems) {}

  void check() {
    const Choice& schedule = training_.rate.schedule;
    if (const auto problems = find_rate_kind(schedule.kind).problems)
      report("schedule", problems(schedule.options, rated()));
    if (training_.rate.warmup_steps > 0 && training_.rate.warmup_epochs > 0)
      report("warmup_steps", "", "excludes warmup_epochs: leave one of them out");
    if (training_.rate.warmup_epochs >= training_.epochs)
      report("warmup_epochs", "",
             "leaves no epoch after the warm-up in a training of " + counted(training_.epochs, "epoch"));
    const Choice& optimizer = training_.optimizer;
    if (const auto problems = find_named(graph::optimizer_kinds(), optimizer.kind, "optimizer").problems)
      report("optimizer", problems(optimizer.options));
    if (training_.precision != "fp16" && !is_default(training_.loss_scale))
      report("loss_scale", "", "applies only to the precision \"fp16\", but this is \"" + training_.precision + "\"");
    if (training_.loss == "mean_squared_error" && training_.label_smoothing > 0)
      report("label_smoothing", "", "applies only to the loss \"cross_entropy\"");
    if (training_.target.every_steps > 0 && !training_.target.is_set())
      report("target", "every_steps", "has no effect without a loss or an accuracy");
    if (training_.stop_at_target && !training_.target.is_set())
      report("stop_at_target", "", "needs a target: set training/target/loss or training/target/accuracy");
    const CheckpointSettings& checkpoint = training_.checkpoint;
    if (checkpoint.save.empty()) {
      constexpr const char* without = "has no effect without save: name a folder in training/checkpoint/save";
      if (checkpoint.every_steps > 0) report("checkpoint", "every_steps", without);
      if (checkpoint.every_seconds > 0) report("checkpoint", "every_seconds", without);
    }
    if (!checkpoint.strip_prefix.empty() && (checkpoint.load.empty() || checkpoint.resume)) {
      report("checkpoint", "strip_prefix",
             checkpoint.resume ? "excludes resume: the names in a checkpoint of ddlbench have no prefix"
                               : "has no effect without load");
    }
  }

 private:
  RatedTraining rated() const {
    const double rate = training_.learning_rate();
    return {rate, peak_rate(training_.rate, rate, variant_.workload.least_batch()), training_.epochs};
  }

  static bool is_default(const Choice& loss_scale) {
    const Choice usual = Training{}.loss_scale;
    const auto& kind = find_named(graph::loss_scale_kinds(), usual.kind, "loss scale");
    return loss_scale == Choice{usual.kind, with_defaults(kind.options, usual.options)};
  }

  void report(const std::string& key, const std::vector<OptionProblem>& problems) {
    for (const OptionProblem& problem : problems) report(key, problem.option, problem.what);
  }

  /// Adds a problem at the position of the setting. If the setting is not in the file, takes the position of the
  /// innermost object around it that is.
  void report(const std::string& key, const std::string& setting, std::string what) {
    const std::string pointer = variant_.pointer_of("/training/" + key + (setting.empty() ? "" : "/" + setting));
    problems_.push_back({location_of(experiment_.locations, pointer), pointer, std::move(what)});
  }

  const Experiment& experiment_;
  const Variant& variant_;
  const Training& training_;
  std::vector<json::Problem>& problems_;
};

}  // namespace

void check_training(const Experiment& experiment, std::vector<json::Problem>& problems) {
  for (const Variant& variant : experiment.variants) TrainingChecker(experiment, variant, problems).check();
}

}  // namespace ddlbench::bench
