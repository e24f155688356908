#include "bench/case/trainer.h"

#include <cmath>

#include "bench/case/case_runner.h"
#include "graph/error.h"

namespace ddlbench::bench {

using runtime::Mode;

Trainer::Trainer(const Setup& setup, const program::Plan& plan, kernels::Device& device,
                 const runtime::Channels& channels)
    : setup_(setup),
      plan_(plan),
      channels_(channels),
      engine_(plan, device, channels),
      training_(setup.training, plan, channels.host.rank(), Mode::train),
      validation_(setup.validation, plan, channels.host.rank(), Mode::evaluate) {
  scalars_.learning_rate = static_cast<float>(setup.experiment.training.optimizer.learning_rate);
  scalars_.seed = setup.which.seed;
}

void Trainer::initialize() {
  engine_.initialize(setup_.which.seed);
  scalars_.step = 0;
}

void Trainer::begin(Mode mode, std::vector<std::int64_t> order) {
  (mode == Mode::train ? training_ : validation_).begin(std::move(order));
}

std::optional<Share> Trainer::step(Mode mode, const std::string& phase) {
  const std::int64_t count = (mode == Mode::train ? training_ : validation_).next(engine_);
  if (count == 0) return std::nullopt;
  scalars_.inverse_count = 1.0F / static_cast<float>(count);
  engine_.step(mode, scalars_);
  const std::vector<double> metrics = engine_.metrics(mode);
  require(metrics.size() == 2, "a model has two metrics, its loss and its correct samples");
  if (!std::isfinite(metrics[0])) {
    throw NonFinite(std::string("the loss became ") + (std::isnan(metrics[0]) ? "NaN" : "infinite") + " in step " +
                    std::to_string(scalars_.step) + " of phase " + phase + ", on rank " + std::to_string(rank()) +
                    "; a smaller training/optimizer/learning_rate may help");
  }
  if (mode == Mode::train) ++scalars_.step;
  return Share{metrics[0], metrics[1], count};
}

}  // namespace ddlbench::bench
