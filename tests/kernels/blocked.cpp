#include "blocked.h"

#include "catch.h"
#include "narrow.h"

namespace ddlbench::test {
namespace {

/// Of two results of 16 bits from sums that differ by little: what the device rounds, and the reference.
double rounding_of(const graph::Op& op, graph::DType dtype) {
  return graph::is_narrow(dtype) ? (roundings(op.kind()) + 1) * unit_roundoff(dtype) : 0;
}

std::int64_t channels_of(const graph::TensorType& type) {
  return type.shape.size() == 4 ? type.shape[1] : 1;
}

}  // namespace

Blocked channels_last(const Run& run, double terms) {
  Blocked one{run, {}, {}, terms};
  for (const HostTensor& input : run.inputs) one.inputs.push_back(channels_of(input.type));
  for (const graph::TensorType& output : output_types(run)) one.outputs.push_back(channels_of(output));
  return one;
}

std::vector<OpCase> image_cases() {
  std::vector<OpCase> all;
  for (OpCase& one : op_cases()) {
    const graph::Op& op = *one.run.op;
    if (one.run.inputs.empty() || !op.takes_channel_blocks() || op.kind() == "reorder") continue;
    const graph::Shape& shape = one.run.inputs[0].type.shape;
    const bool of_columns = op.attributes().find("features=last") != std::string::npos;
    if (shape.size() == 4 && shape[1] > 0 && !of_columns) all.push_back(std::move(one));
  }
  return all;
}

void check(kernels::Device& on, const Blocked& one) {
  const auto oracle = device("reference");
  std::string shapes;
  for (std::size_t i = 0; i < one.inputs.size(); ++i)
    shapes += graph::to_string(one.run.inputs[i].type) + "/" + std::to_string(one.inputs[i]) + " ";
  CAPTURE(on.kind(), one.run.op->kind(), one.run.op->attributes(), one.run.accumulate, shapes);
  const auto expected = run(*oracle, one.run);
  Run blocked = one.run;
  for (std::size_t i = 0; i < blocked.inputs.size(); ++i)
    blocked.inputs[i] = in_block(blocked.inputs[i], one.inputs[i]);
  blocked.output_types.clear();
  for (std::size_t o = 0; o < expected.size(); ++o) {
    blocked.output_types.push_back(expected[o].type);
    blocked.output_types.back().channel_block = one.outputs[o];
    if (blocked.accumulate) blocked.initial_outputs[o] = in_block(blocked.initial_outputs[o], one.outputs[o]);
  }
  const auto actual = run(on, blocked);
  for (std::size_t o = 0; o < actual.size(); ++o)
    CHECK(largest_error(in_block(actual[o], 1), expected[o], 1.0) <=
          tolerance(one.terms) + rounding_of(*one.run.op, expected[o].type.dtype));
}

}  // namespace ddlbench::test
