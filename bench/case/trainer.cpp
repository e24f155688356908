#include "bench/case/trainer.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "bench/case/device_options.h"
#include "runtime/metric_shares.h"

namespace ddlbench::bench {

using runtime::Mode;

namespace {

/// Returns the metrics' indices.
std::array<std::size_t, 3> positions(const program::Plan& plan, program::Program program::Role::*program_of) {
  const auto position = [&](const char* metric) { return runtime::position_of_metric(plan, program_of, metric); };
  return {position("loss"), position("correct"), position("correct_top5")};
}

}  // namespace

Schedule schedule_of(const Setup& setup) {
  const Training& training = setup.experiment.training;
  return {training.rate, training.learning_rate(), {training.epochs, setup.batches(), setup.which.global_batch}};
}

Trainer::Trainer(const Setup& setup, const program::Plan& plan, kernels::Device& device,
                 const runtime::Channels& channels)
    : setup_(setup),
      plan_(plan),
      channels_(channels),
      engine_(plan, device, channels),
      training_(setup.training, plan, channels.host.rank(), Mode::train, loader_options(setup)),
      validation_(setup.validation, plan, channels.host.rank(), Mode::evaluate, loader_options(setup)),
      schedule_(schedule_of(setup)),
      training_metrics_(positions(plan, &program::Role::train)),
      validation_metrics_(positions(plan, &program::Role::evaluate)) {
  scalars_.seed = setup.which.seed;
  scalars_.rank = channels.host.rank();
  engine_.set_on_complete([this](Mode mode) { note(mode); });
}

void Trainer::initialize() {
  engine_.initialize(setup_.which.seed);
  load_start(setup_, engine_, channels_.host, start_digests_);
  start_digests_ = runtime::Digests::known;
  set_steps(setup_.start.steps);
}

void Trainer::initialize_training() {
  if (!setup_.resumed) return initialize();
  engine_.initialize(setup_.which.seed);
  load_resumed(setup_, engine_, channels_.host);
  set_steps(setup_.resumed->steps);
}

void Trainer::set_steps(std::int64_t steps) {
  scalars_.step = steps;
  scalars_.scaler.updates = steps;
}

void Trainer::begin(Mode mode, std::vector<workloads::SampleDraw> order) {
  (mode == Mode::train ? training_ : validation_).begin(std::move(order));
}

template <class Work>
void Trainer::with_callback(const OnStep& on_step, const Work& work) {
  struct OnStepScope {
    const OnStep*& to;
    ~OnStepScope() { to = nullptr; }
  };
  on_step_ = &on_step;
  const OnStepScope until_the_end{on_step_};
  work();
}

bool Trainer::advance(Mode mode, const std::string& phase, const OnStep& on_step) {
  std::int64_t count = 0;
  with_callback(on_step, [&] { count = (mode == Mode::train ? training_ : validation_).next(engine_); });
  if (count == 0) {
    finish(on_step);
    return false;
  }
  scalars_.inverse_count = 1.0F / static_cast<float>(count);
  scalars_.learning_rate = static_cast<float>(schedule_.rate(scalars_.step));
  in_flight_.push_back({scalars_.step, count, phase});
  with_callback(on_step, [&] { engine_.step(mode, scalars_); });
  if (mode == Mode::train) {
    ++scalars_.step;
    ++scalars_.scaler.updates;
  }
  return true;
}

void Trainer::finish(const OnStep& on_step) {
  with_callback(on_step, [&] { engine_.wait(); });
}

std::optional<Share> Trainer::step(Mode mode, const std::string& phase) {
  std::optional<Share> last;
  const OnStep keep = [&last](const Share& share) { last = share; };
  if (!advance(mode, phase, keep)) return std::nullopt;
  finish(keep);
  return last;
}

std::int64_t Trainer::loader_bytes() const {
  const std::int64_t training = training_.loader_bytes(), validation = validation_.loader_bytes();
  return setup_.experiment.training.target.every_steps > 0 ? training + validation : std::max(training, validation);
}

/// Called by the engine when a step of this mode is complete.
void Trainer::note(Mode mode) {
  if (in_flight_.empty()) return;  // a step that the caller launched directly on the engine
  require(on_step_ != nullptr, "a step completed, but no caller waits for one");
  const InFlightStep begun = std::move(in_flight_.front());
  in_flight_.pop_front();
  const std::vector<double> metrics = engine_.metrics(mode);
  const auto& at = mode == Mode::train ? training_metrics_ : validation_metrics_;
  const double loss = metrics.at(at[0]);
  if (!std::isfinite(loss)) {
    throw NonFinite(fmt::format(
        "the loss became {} in step {} of phase {}, on rank {}; a smaller training/optimizer/learning_rate may help",
        std::isnan(loss) ? "NaN" : "infinite", begun.step, begun.phase, rank()));
  }
  (*on_step_)({loss, metrics.at(at[1]), metrics.at(at[2]), begun.count});
}

}  // namespace ddlbench::bench
