#include "case_list.h"

namespace ddlbench::test {

void Cases::add(graph::OpPtr op, std::vector<HostTensor> inputs, double terms, std::vector<graph::TensorType> types) {
  Run run{std::move(op), std::move(inputs), std::move(types)};
  run.scalars.inverse_count = 0.125f;
  run.scalars.scaler.scale = 4;
  run.scalars.learning_rate = 0.1f;
  run.scalars.step = 2;
  run.scalars.scaler.updates = 2;
  all_.push_back({std::string(run.op->kind()) + " " + run.op->attributes(), std::move(run), terms});
}

void Cases::add_both(const graph::OpPtr& op, const std::vector<HostTensor>& inputs, double terms,
                     const std::vector<graph::TensorType>& types) {
  add(op, inputs, terms, types);
  add(op, inputs, terms, types);
  OpCase& last = all_.back();
  last.name += " accumulate";
  last.run.accumulate = true;
  std::vector<graph::TensorType> input_types;
  for (const auto& tensor : inputs) input_types.push_back(tensor.type);
  for (const auto& type : types.empty() ? op->infer(input_types) : types) {
    last.run.initial_outputs.push_back(random_tensor(type.shape, "initial"));
  }
}

}  // namespace ddlbench::test
