#include "bench/case/validate.h"

#include <numeric>

#include "base/stopwatch.h"
#include "bench/case/gather.h"

namespace ddlbench::bench {

using runtime::Clock;
using runtime::Mode;

std::optional<Validation> validate(Trainer& trainer, Heartbeat* heartbeat, StepAgreement* agreement) {
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
    if (agreement == nullptr || agreement->after_step() != StepRequest::stop) continue;
    trainer.finish(add);
    trainer.engine().drain(Mode::evaluate);
    return std::nullopt;
  }
  trainer.engine().drain(Mode::evaluate);
  const std::vector<double> whole = sum_over_ranks(trainer.communicator(), {loss, correct, correct_top5});
  return Validation{whole[0] / count, whole[1] / count, whole[2] / count, seconds_since(begin)};
}

}  // namespace ddlbench::bench
