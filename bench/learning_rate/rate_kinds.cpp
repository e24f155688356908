#include "bench/learning_rate/rate_kinds.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/counted.h"
#include "base/names.h"
#include "base/number.h"

namespace ddlbench::bench {
namespace {

Option minimum_option() {
  return {"minimum", 0.0, "Learning rate at the end."};
}

double minimum_of(const OptionValues& options) {
  return value_of<double>(options, "minimum");
}

std::vector<OptionProblem> minimum_problems(const OptionValues& options, const RatedTraining& training) {
  if (minimum_of(options) <= training.peak) return {};
  std::string what = "is above the learning rate " + to_text(training.peak);
  if (training.peak != training.learning_rate)
    what += ", to which scale_with_batch scales " + to_text(training.learning_rate) + "; the minimum is not scaled";
  return {{"minimum", std::move(what)}};
}

RateKind constant() {
  return {
      "constant", "A constant learning rate.", {}, [](const OptionValues&, const RatePoint& at) { return at.peak; }};
}

/// Returns r · factorⁱ, where i is the number of milestones ≤ the epoch, or epoch / every_epochs.
double step_rate(const OptionValues& options, const RatePoint& at) {
  const auto& milestones = value_of<Integers>(options, "milestones");
  const auto every = value_of<std::int64_t>(options, "every_epochs");
  const std::int64_t times = every > 0 ? at.epoch / every
                                       : std::count_if(milestones.begin(), milestones.end(),
                                                       [&at](std::int64_t milestone) { return milestone <= at.epoch; });
  return at.peak * std::pow(value_of<double>(options, "factor"), static_cast<double>(times));
}

std::vector<OptionProblem> step_problems(const OptionValues& options, const RatedTraining& training) {
  const std::int64_t epochs = training.epochs;
  const auto& milestones = value_of<Integers>(options, "milestones");
  const auto every = value_of<std::int64_t>(options, "every_epochs");
  std::vector<OptionProblem> found;
  const std::string never = "is never reached by a training of " + counted(epochs, "epoch");
  if (milestones.empty() == (every == 0)) found.push_back({"milestones", "needs either milestones or every_epochs"});
  if (every >= epochs) found.push_back({"every_epochs", never});
  for (std::size_t i = 0; i < milestones.size(); ++i) {
    const bool grows = milestones[i] > (i == 0 ? 0 : milestones[i - 1]);
    if (grows && milestones[i] < epochs) continue;
    found.push_back(
        {"milestones", grows ? fmt::format("{} {}", milestones[i], never) : "must be positive and in ascending order"});
    break;
  }
  return found;
}

RateKind step() {
  Option factor{"factor", 0.1, "Factor on the rate at each change.", 0, {}, 1};
  factor.above = true;
  return {"step",
          "Multiplies the rate by a factor at milestones, or every `every_epochs` epochs.",
          {{"milestones", Integers{}, "Epochs before which the rate changes.", 0, {}, 999999},
           {"every_epochs",
            std::int64_t{0},
            "Epochs between changes, instead of milestones; 0: use milestones.",
            0,
            {},
            100000},
           factor},
          step_rate,
          step_problems};
}

/// Returns m + (r − m) (1 + cos πv) / 2, where m is the minimum and v the part of the current cycle that is done:
/// cycles · u modulo 1, and 1 at the end. This is SGDR with equal periods (Loshchilov & Hutter 2017), the same as
/// get_cosine_with_hard_restarts_schedule_with_warmup in Hugging Face's transformers.
double cosine_rate(const OptionValues& options, const RatePoint& at) {
  constexpr double rounding = 1e-10;  // a product just below a whole number would be the end of the previous cycle
  const double cycles = static_cast<double>(value_of<std::int64_t>(options, "cycles")) * at.progress;
  const double share = at.progress < 1 ? cycles - std::floor(cycles + rounding) : 1;
  const double minimum = minimum_of(options);
  const double span = at.peak - minimum;
  return minimum + span * (1 + std::cos(std::numbers::pi * share)) / 2;
}

RateKind cosine() {
  return {"cosine",
          "Half a cosine wave from the learning rate down to the minimum (Loshchilov & Hutter 2017).",
          {minimum_option(),
           {"cycles",
            std::int64_t{1},
            "Number of half waves; each has the same number of steps and starts at the full rate.",
            1,
            {},
            10000}},
          cosine_rate,
          minimum_problems,
          [](const OptionValues& options) { return value_of<std::int64_t>(options, "cycles"); }};
}

/// The rate is m + (r − m) (1 − u)^power.
RateKind polynomial() {
  Option power{"power", 1.0, "Exponent; 1: linear decay.", 0, {}, 100};
  power.above = true;
  return {"polynomial",
          "The learning rate times a power of the remaining share of the training.",
          {minimum_option(), power},
          [](const OptionValues& options, const RatePoint& at) {
            const double minimum = minimum_of(options);
            const double span = at.peak - minimum;
            return minimum + span * std::pow(1 - at.progress, value_of<double>(options, "power"));
          },
          minimum_problems};
}

}  // namespace

const std::vector<RateKind>& rate_kinds() {
  static const std::vector<RateKind> kinds{constant(), step(), cosine(), polynomial()};
  return kinds;
}

const RateKind& find_rate_kind(const std::string& name) {
  return find_named(rate_kinds(), name, "schedule");
}

}  // namespace ddlbench::bench
