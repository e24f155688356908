#include "bench/case/train.h"

#include <fmt/core.h>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/stopwatch.h"
#include "bench/case/gather.h"
#include "bench/case/step_agreement.h"
#include "bench/case/validate.h"

namespace ddlbench::bench {
namespace {

using runtime::Clock;
using runtime::Mode;

/// The training of one case on one rank.
class TrainingRun {
 public:
  TrainingRun(Trainer& trainer, Heartbeat* heartbeat)
      : trainer_(trainer),
        heartbeat_(heartbeat),
        settings_(trainer.setup().experiment.training),
        start_(trainer.setup().training_start()),
        trained_seconds_(start_.trained_seconds) {
    if (settings_.checkpoint.every_seconds > 0 || !trainer.setup().which.stop_file.empty())
      agreement_.emplace(trainer.communicator(), [this] { return wanted(); });
  }

  TrainingResult run() {
    trainer_.initialize_training();
    comm::run(trainer_.communicator().barrier());
    begin_ = last_save_ = Clock::now();
    if (agreement_) agreement_->restart_clock();
    for (std::int64_t epoch = start_.epochs; epoch < settings_.epochs && !stops_; ++epoch) train(epoch);
    return std::move(result_);
  }

 private:
  /// The training of an epoch so far, without validations.
  struct EpochProgress {
    double seconds = 0;
    double loss = 0;  ///< this rank's share of the sum over steps
    std::int64_t steps = 0;
    std::vector<double> losses;  ///< of all ranks, as of the last pause
    double mean_loss = 0;        ///< likewise
  };

  /// What is due after a training step.
  struct Due {
    bool save = false;
    bool stop = false;
    bool validation = false;  ///< within the epoch
    bool any() const { return save || stop || validation; }
  };

  void train(std::int64_t epoch) {
    EpochProgress progress = at_begin(epoch);
    const std::string phase = fmt::format("train epoch {}", epoch + 1);
    const OnStep add = [&](const Share& share) {
      progress.loss += share.loss;
      ++progress.steps;
    };
    if (progress.steps > 0 && trainer_.setup().validates_within_epoch(trainer_.steps())) {
      gather_losses(progress);
      validate_within(epoch, progress);
      if (stops_) return;
    }
    Due due;
    if (progress.steps == trainer_.setup().batches()) {  // only its validation is left
      gather_losses(progress);
      return end(epoch, progress, due);
    }
    Clock::time_point since = Clock::now();
    trainer_.begin(Mode::train, training_epoch(trainer_.setup(), epoch, progress.steps));
    while (trainer_.advance(Mode::train, phase, add)) {
      if (heartbeat_ != nullptr) heartbeat_->step(phase);
      due = due_after_step();
      const bool at_end = trainer_.steps() % trainer_.setup().batches() == 0;
      if (!due.any() || at_end) continue;
      trainer_.finish(add);
      pause(progress, since);
      if (due.save) save({epoch, trainer_.steps()}, progress, SaveWhen::now);
      if (due.stop) interrupt(epoch);
      if (due.validation) validate_within(epoch, progress);
      if (stops_) return;
      since = Clock::now();
    }
    pause(progress, since);
    end(epoch, progress, due);
  }

  /// Returns the progress of an epoch before its first step in this process.
  EpochProgress at_begin(std::int64_t epoch) const {
    EpochProgress progress;
    if (epoch != start_.epochs) return progress;
    progress.steps = start_.steps - epoch * trainer_.setup().batches();
    progress.seconds = start_.epoch_seconds;
    const std::vector<double>& losses = start_.epoch_losses;
    const auto rank = static_cast<std::size_t>(trainer_.rank());
    if (losses.size() == static_cast<std::size_t>(trainer_.communicator().size())) {
      progress.loss = losses[rank];
    } else if (rank == 0) {
      progress.loss = std::accumulate(losses.begin(), losses.end(), 0.0);
    }
    return progress;
  }

  /// Decides on rank 0 what all ranks do after a step.
  StepRequest wanted() const {
    const std::string& stop_file = trainer_.setup().which.stop_file;
    std::error_code none;
    if (!stop_file.empty() && std::filesystem::exists(stop_file, none)) return StepRequest::stop;
    const double every = settings_.checkpoint.every_seconds;
    return every > 0 && seconds_since(last_save_) >= every ? StepRequest::save : StepRequest::none;
  }

  Due due_after_step() {
    const StepRequest request = agreement_ ? agreement_->after_step() : StepRequest::none;
    const std::int64_t step = trainer_.steps(), every = settings_.checkpoint.every_steps;
    Due due;
    due.stop = request == StepRequest::stop;
    due.save = request != StepRequest::none || (every > 0 && step % every == 0);
    due.validation = trainer_.setup().validates_within_epoch(step);
    return due;
  }

  void pause(EpochProgress& progress, Clock::time_point since) {
    trainer_.engine().drain(Mode::train);
    gather_losses(progress);
    const double seconds = seconds_since(since);
    progress.seconds += seconds;
    trained_seconds_ += seconds;
  }

  void gather_losses(EpochProgress& progress) {
    progress.losses.clear();
    for (const std::vector<double>& rank : all_gather<double>(trainer_.communicator(), {progress.loss}))
      progress.losses.push_back(rank.at(0));
    const double loss = std::accumulate(progress.losses.begin(), progress.losses.end(), 0.0);
    progress.mean_loss = loss / static_cast<double>(progress.steps);
  }

  void validate_within(std::int64_t epoch, const EpochProgress& progress) {
    const auto record = validated<ValidationRecord>(epoch, progress);
    if (heartbeat_ != nullptr) heartbeat_->progress().validation(record);
    if (!stops_) return;
    result_.stopped = record;
    save_once({epoch, trainer_.steps()}, progress);
  }

  void end(std::int64_t epoch, const EpochProgress& progress, const Due& due) {
    const Start whole{epoch + 1, trainer_.steps()};
    const bool saved = save(whole, progress, SaveWhen::scheduled);  // before validation, which may fail
    if (due.save) save_once({epoch, trainer_.steps()}, progress);
    if (due.stop) interrupt(epoch);
    auto record = validated<EpochRecord>(epoch, progress);
    record.epoch_seconds = progress.seconds;
    if (heartbeat_ != nullptr) heartbeat_->progress().epoch(record);
    result_.epochs.push_back(std::move(record));
    if (stops_ && !saved) save(whole, progress, SaveWhen::now);
  }

  [[noreturn]] void interrupt(std::int64_t epoch) const {
    throw Interrupted(fmt::format("stopped after step {} in epoch {}, {}", trainer_.steps(), epoch + 1,
                                  checkpoint_.empty()
                                      ? "without a checkpoint, because training/checkpoint/save is not set"
                                      : "with the checkpoint " + checkpoint_));
  }

  /// Validates, and returns what epochs and validations within them have in common. Sets `stops_`. Throws Interrupted.
  template <class Record>
  Record validated(std::int64_t epoch, const EpochProgress& progress) {
    const std::optional<Validation> found = validate(trainer_, heartbeat_, agreement_ ? &*agreement_ : nullptr);
    if (!found) {
      save_once({epoch, trainer_.steps()}, progress);
      interrupt(epoch);
    }
    const Validation& validation = *found;
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

  /// Saves a checkpoint if one is due and wanted. Returns whether it did.
  bool save(Start done, const EpochProgress& progress, SaveWhen when) {
    done.trained_seconds = trained_seconds_;
    done.elapsed_seconds = elapsed_seconds();
    done.epoch_seconds = progress.seconds;
    done.epoch_losses = progress.losses;
    const Clock::time_point begin = Clock::now();
    const std::string path =
        save_checkpoint(trainer_.setup(), trainer_.engine(), trainer_.communicator(), done, when, heartbeat_);
    saving_seconds_ += seconds_since(begin);
    if (path.empty()) return false;
    checkpoint_ = path;
    saved_step_ = done.steps;
    last_save_ = Clock::now();
    if (agreement_) agreement_->restart_clock();
    return true;
  }

  /// Saves a checkpoint unless one of this step was saved.
  void save_once(const Start& done, const EpochProgress& progress) {
    if (saved_step_ != done.steps) save(done, progress, SaveWhen::now);
  }

  Trainer& trainer_;
  Heartbeat* heartbeat_;
  const Training& settings_;
  const Start& start_;
  std::optional<StepAgreement> agreement_;  ///< where rank 0 may ask for something
  TrainingResult result_;
  bool stops_ = false;  ///< the same on all ranks, like what it follows from
  double trained_seconds_;
  double saving_seconds_ = 0;
  std::string checkpoint_;        ///< the last one that was saved
  std::int64_t saved_step_ = -1;  ///< its step
  Clock::time_point last_save_;
  Clock::time_point begin_;
};

}  // namespace

TrainingResult train_epochs(Trainer& trainer, Heartbeat* heartbeat) {
  return TrainingRun(trainer, heartbeat).run();
}

}  // namespace ddlbench::bench
