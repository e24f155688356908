#include "bench/case/train.h"

#include <fmt/core.h>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/stopwatch.h"
#include "bench/case/gather.h"

namespace ddlbench::bench {
namespace {

using runtime::Clock;
using runtime::Mode;

struct Validation {
  double loss = 0;
  double accuracy = 0;
  double top5_accuracy = 0;
  double seconds = 0;
};

Validation validate(Trainer& trainer, Heartbeat* heartbeat) {
  const Clock::time_point begin = Clock::now();
  std::vector<std::int64_t> order(static_cast<std::size_t>(trainer.setup().validation->size()));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  trainer.begin(Mode::evaluate, workloads::plain_draws(order));
  double loss = 0;
  double correct = 0;
  double correct_top5 = 0;
  double count = 0;
  const OnStep add = [&](const Share& share) {
    loss += share.loss * static_cast<double>(share.count);  // a batch's loss is its mean
    correct += share.correct;
    correct_top5 += share.correct_top5;
    count += static_cast<double>(share.count);
  };
  while (trainer.advance(Mode::evaluate, "validate", add)) {
    if (heartbeat != nullptr) heartbeat->step("validate");
  }
  trainer.engine().drain(Mode::evaluate);
  const std::vector<double> whole = sum_over_ranks(trainer.communicator(), {loss, correct, correct_top5});
  return {whole[0] / count, whole[1] / count, whole[2] / count, seconds_since(begin)};
}

/// The training of one case on one rank.
class TrainingRun {
 public:
  TrainingRun(Trainer& trainer, Heartbeat* heartbeat)
      : trainer_(trainer),
        heartbeat_(heartbeat),
        settings_(trainer.setup().experiment.training),
        start_(trainer.setup().start),
        trained_seconds_(start_.trained_seconds) {}

  TrainingResult run() {
    trainer_.initialize();
    comm::run(trainer_.communicator().barrier());
    begin_ = Clock::now();
    for (std::int64_t epoch = start_.epochs; epoch < settings_.epochs && !stops_; ++epoch) train(epoch);
    return std::move(result_);
  }

 private:
  /// The training of an epoch so far, without validations.
  struct EpochProgress {
    double seconds = 0;
    double loss = 0;  ///< this rank's share of the sum over steps
    std::int64_t steps = 0;
    double mean_loss = 0;  ///< of all ranks, as of the last pause
  };

  void train(std::int64_t epoch) {
    EpochProgress progress;
    const std::string phase = fmt::format("train epoch {}", epoch + 1);
    const OnStep add = [&](const Share& share) {
      progress.loss += share.loss;
      ++progress.steps;
    };
    Clock::time_point since = Clock::now();
    trainer_.begin(Mode::train, training_epoch(trainer_.setup(), epoch));
    while (trainer_.advance(Mode::train, phase, add)) {
      if (heartbeat_ != nullptr) heartbeat_->step(phase);
      if (!validates_within_epoch()) continue;
      trainer_.finish(add);
      pause(progress, since);
      validate_within(epoch, progress);
      if (stops_) return;
      since = Clock::now();
    }
    pause(progress, since);
    end(epoch, progress);
  }

  bool validates_within_epoch() const {
    const std::int64_t step = trainer_.steps();
    return settings_.target.every_steps > 0 && step % settings_.target.every_steps == 0 &&
           step % trainer_.setup().batches() != 0;
  }

  void pause(EpochProgress& progress, Clock::time_point since) {
    trainer_.engine().drain(Mode::train);
    const double loss = sum_over_ranks(trainer_.communicator(), {progress.loss})[0];
    progress.mean_loss = loss / static_cast<double>(progress.steps);
    const double seconds = seconds_since(since);
    progress.seconds += seconds;
    trained_seconds_ += seconds;
  }

  void validate_within(std::int64_t epoch, const EpochProgress& progress) {
    const auto record = validated<ValidationRecord>(epoch, progress);
    if (heartbeat_ != nullptr) heartbeat_->progress().validation(record);
    if (!stops_) return;
    result_.stopped = record;
    save({epoch, trainer_.steps()}, SaveWhen::now);
  }

  void end(std::int64_t epoch, const EpochProgress& progress) {
    const bool saved = save({epoch + 1, trainer_.steps()}, SaveWhen::scheduled);  // before validation, which may fail
    auto record = validated<EpochRecord>(epoch, progress);
    record.epoch_seconds = progress.seconds;
    if (heartbeat_ != nullptr) heartbeat_->progress().epoch(record);
    result_.epochs.push_back(std::move(record));
    if (stops_ && !saved) save({epoch + 1, trainer_.steps()}, SaveWhen::now);
  }

  /// Validates, and returns what epochs and validations within them have in common. Sets `stops_`.
  template <class Record>
  Record validated(std::int64_t epoch, const EpochProgress& progress) {
    const Validation validation = validate(trainer_, heartbeat_);
    Record record;
    record.case_id = trainer_.setup().which.id;
    record.epoch = static_cast<int>(epoch) + 1;
    record.step = trainer_.steps();
    record.trained_seconds = trained_seconds_;
    record.validation_seconds = validation.seconds;
    record.train_loss = progress.mean_loss;
    record.validation_loss = validation.loss;
    record.accuracy_ratio = validation.accuracy;
    record.top5_accuracy_ratio = validation.top5_accuracy;
    if (trainer_.setup().validation->shape().is_text()) record.perplexity = std::exp(validation.loss);
    if (const std::optional<graph::LossScaler> scaler = trainer_.engine().scaler()) {
      record.loss_scale = scaler->scale;
      record.skipped_steps = static_cast<std::int64_t>(scaler->skipped);
    }
    record.elapsed_seconds = elapsed_seconds();
    stops_ = settings_.stop_at_target && is_reached(settings_.target, validation.loss, validation.accuracy);
    return record;
  }

  double elapsed_seconds() const { return start_.elapsed_seconds + seconds_since(begin_) - saving_seconds_; }

  bool save(Start done, SaveWhen when) {
    done.trained_seconds = trained_seconds_;
    done.elapsed_seconds = elapsed_seconds();
    const Clock::time_point begin = Clock::now();
    const bool saved =
        save_checkpoint(trainer_.setup(), trainer_.engine(), trainer_.communicator(), done, when, heartbeat_);
    saving_seconds_ += seconds_since(begin);
    return saved;
  }

  Trainer& trainer_;
  Heartbeat* heartbeat_;
  const Training& settings_;
  const Start& start_;
  TrainingResult result_;
  bool stops_ = false;  ///< the same on all ranks, like what it follows from
  double trained_seconds_;
  double saving_seconds_ = 0;
  Clock::time_point begin_;
};

}  // namespace

TrainingResult train_epochs(Trainer& trainer, Heartbeat* heartbeat) {
  return TrainingRun(trainer, heartbeat).run();
}

}  // namespace ddlbench::bench
