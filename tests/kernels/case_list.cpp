#include "case_list.h"

namespace ddlbench::test {

OpCase added(OpCase one) {
  one.name += " accumulate";
  one.run.accumulate = true;
  for (const auto& type : output_types(one.run)) {
    HostTensor initial = random_tensor(type.shape, "initial");
    initial.type.dtype = type.dtype;
    one.run.initial_outputs.push_back(HostTensor::from_bytes(type, initial.bytes()));
  }
  return one;
}

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
  all_.push_back(added(all_.back()));
}

}  // namespace ddlbench::test
