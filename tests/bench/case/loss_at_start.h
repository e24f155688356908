#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "kernels/device.h"
#include "program/passes.h"
#include "runtime/engine.h"
#include "strategies/strategy.h"
#include "workloads/model.h"

namespace ddlbench::bench {

/// Returns the mean loss of a transformer's initial weights on random tokens, computed on the `cpu` device.
inline double loss_at_start(const std::string& model, const OptionValues& options, int vocabulary,
                            std::int64_t positions, std::int64_t batch) {
  const workloads::ModelKind& kind = workloads::find_model(model);
  workloads::ModelRequest request;
  request.shape.sample = {graph::Shape(1, positions), graph::DType::i32};
  request.shape.label = request.shape.sample.shape;
  request.shape.classes = vocabulary;
  request.batch = batch;
  request.options = with_defaults(kind.options, options);
  const graph::Graph graph = kind.build(request);
  const strategies::StrategyKind& single = strategies::find_strategy("single");
  program::Plan plan = single.compile({graph, batch, 1, graph::sgd({}), program::CostTable{}}, {});

  const auto count = static_cast<std::size_t>(positions * batch);
  std::mt19937 random(7);
  std::vector<std::int32_t> tokens(count + 1);
  for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random() % static_cast<unsigned>(vocabulary));
  double loss = 0;
  comm::find_transport("threads").launch(1, {}, [&](comm::Communicator& communicator) {
    const auto device = kernels::make_device("cpu", {1});
    program::complete(plan, runtime::workspace_costs(plan, *device, communicator));
    runtime::Engine engine(plan, *device, communicator);
    engine.initialize(1);
    engine.load(runtime::Mode::evaluate, tokens.data(), tokens.data() + 1);
    graph::Scalars scalars;
    scalars.inverse_count = 1 / static_cast<float>(count);
    engine.step(runtime::Mode::evaluate, scalars);
    loss = engine.metrics(runtime::Mode::evaluate).front();
  });
  return loss;
}

/// Returns the expected value. Logits of h features of unit variance with weights of standard deviation 0.02 have
/// variance h·0.02², and the mean of their exponentials is exp(variance / 2).
inline double expected_at_start(double vocabulary, double hidden) {
  return std::log(vocabulary) + hidden * 0.02 * 0.02 / 2;
}

}  // namespace ddlbench::bench
