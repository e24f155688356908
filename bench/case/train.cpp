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

/// Trains one epoch and returns the mean loss of its steps.
double train_epoch(Trainer& trainer, std::int64_t epoch, Heartbeat* heartbeat) {
  trainer.begin(Mode::train, training_epoch(trainer.setup(), epoch));
  double loss = 0;
  std::int64_t steps = 0;
  const std::string phase = fmt::format("train epoch {}", epoch + 1);
  const OnStep add = [&](const Share& share) {
    loss += share.loss;
    ++steps;
  };
  while (trainer.advance(Mode::train, phase, add)) {
    if (heartbeat != nullptr) heartbeat->step(phase);
  }
  trainer.engine().drain(Mode::train);
  return sum_over_ranks(trainer.communicator(), {loss})[0] / static_cast<double>(steps);
}

struct Validation {
  double loss = 0;
  double accuracy = 0;
  double top5_accuracy = 0;
};

Validation validate(Trainer& trainer, Heartbeat* heartbeat) {
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
  return {whole[0] / count, whole[1] / count, whole[2] / count};
}

}  // namespace

std::vector<EpochRecord> train_epochs(Trainer& trainer, Heartbeat* heartbeat) {
  std::vector<EpochRecord> records;
  trainer.initialize();
  comm::run(trainer.communicator().barrier());
  const Clock::time_point begin = Clock::now();
  double saving_seconds = 0;
  for (std::int64_t epoch = trainer.setup().start.epochs; epoch < trainer.setup().experiment.training.epochs; ++epoch) {
    EpochRecord record;
    record.case_id = trainer.setup().which.id;
    record.epoch = static_cast<int>(epoch) + 1;
    const Clock::time_point epoch_begin = Clock::now();
    record.train_loss = train_epoch(trainer, epoch, heartbeat);
    record.epoch_seconds = seconds_since(epoch_begin);
    const Clock::time_point saving_begin = Clock::now();  // before validation, which may fail
    save_checkpoint(trainer.setup(), trainer.engine(), trainer.communicator(), {epoch + 1, trainer.steps()}, heartbeat);
    saving_seconds += seconds_since(saving_begin);
    const Clock::time_point validation_begin = Clock::now();
    const Validation validation = validate(trainer, heartbeat);
    record.validation_seconds = seconds_since(validation_begin);
    record.validation_loss = validation.loss;
    record.accuracy_ratio = validation.accuracy;
    record.top5_accuracy_ratio = validation.top5_accuracy;
    if (trainer.setup().validation->shape().is_text()) record.perplexity = std::exp(validation.loss);
    record.elapsed_seconds = seconds_since(begin) - saving_seconds;
    if (const std::optional<graph::LossScaler> scaler = trainer.engine().scaler()) {
      record.loss_scale = scaler->scale;
      record.skipped_steps = static_cast<std::int64_t>(scaler->skipped);
    }
    if (heartbeat != nullptr) heartbeat->progress().epoch(record);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace ddlbench::bench
