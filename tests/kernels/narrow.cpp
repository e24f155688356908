#include "narrow.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "catch.h"
#include "codec_cases.h"
#include "graph/ops/batch_norm.h"
#include "graph/ops/optimizer.h"
#include "low_rank_cases.h"
#include "norm_cases.h"
#include "optimizer_cases.h"

namespace ddlbench::test {
namespace {

/// Inputs that are f32 whatever the rest is.
bool stays_f32(const graph::Op& op, std::size_t input) {
  if (dynamic_cast<const graph::UpdateOp*>(&op) != nullptr) return input != 1;
  static const std::map<std::string_view, std::vector<std::size_t>> others{
      {"layer_norm_backward_input", {3, 4}},
      {"layer_norm_backward_weight", {2, 3}},
      {"attention_backward", {3}},
      {"combine_moments", {0}},
      {"observe_moments", {0}},
      {"statistic_update", {0, 1}},
      {"loss_scale_update", {0, 1}},
      {"encode", {1}},
      {"low_rank_project", {1, 2}},
      {"low_rank_orthogonalise", {0}},
      {"low_rank_project_back", {0, 1, 2}},
      {"low_rank_reconstruct", {0, 1, 2}},
  };
  const auto found = others.find(op.kind());
  return is_statistic(op.kind(), input) ||
         (found != others.end() && std::count(found->second.begin(), found->second.end(), input) > 0);
}

}  // namespace

HostTensor in_type(const HostTensor& tensor, graph::DType dtype) {
  const graph::TensorType type{tensor.type.shape, dtype, tensor.type.channel_block};
  return HostTensor::from_bytes(type, HostTensor{type, tensor.values}.bytes());
}

double unit_roundoff(graph::DType dtype) {
  return dtype == graph::DType::bf16 ? 0x1p-8 : 0x1p-11;
}

NarrowCase narrow_case(const OpCase& one, graph::DType dtype) {
  NarrowCase both{one.run, one.run};
  for (std::size_t i = 0; i < one.run.inputs.size(); ++i) {
    HostTensor& tensor = both.narrow.inputs[i];
    if (!is_float(tensor.type.dtype) || stays_f32(*one.run.op, i)) continue;
    tensor = in_type(tensor, dtype);
    both.wide.inputs[i] = in_type(tensor, graph::DType::f32);
  }
  for (auto& type : both.narrow.output_types) {
    if (is_float(type.dtype)) type.dtype = dtype;
  }
  const auto narrow_outputs = output_types(both.narrow), wide_outputs = output_types(both.wide);
  for (std::size_t o = 0; o < one.run.initial_outputs.size(); ++o) {
    HostTensor& tensor = both.narrow.initial_outputs[o];
    tensor = in_type(tensor, narrow_outputs[o].dtype);
    both.wide.initial_outputs[o] = in_type(tensor, wide_outputs[o].dtype);
  }
  return both;
}

std::vector<OpCase> narrow_op_cases(graph::DType dtype) {
  std::vector<OpCase> cases = op_cases();
  for (const graph::Shape& sums : {graph::Shape{3, 2, 37}, {1, 2, 1}, {0, 2, 5}}) {
    const Run run{std::make_shared<graph::BatchNormBackwardWeight>(dtype), {random_tensor(sums, "sums")}, {}};
    cases.push_back({"batch_norm_backward_weight", run, static_cast<double>(sums[0]) + 1});
    cases.push_back(added(cases.back()));
  }
  Cases rounded;
  add_decodes(rounded, dtype);
  add_low_rank_reconstructs(rounded, dtype);
  for (OpCase& one : rounded.take()) cases.push_back(std::move(one));
  graph::UpdateSite site = small_site();
  site.working = dtype;
  for (const graph::Guard& guard : {graph::Guard{}, graph::Guard{0.5f, true}}) {
    for (const Run& run : optimizer_runs(site, guard, 7, 3))
      cases.push_back({std::string(run.op->kind()) + " with masters", run, 16});
  }
  return cases;
}

void check_narrow(kernels::Device& device, const OpCase& one, graph::DType dtype, double roundings) {
  CAPTURE(device.kind(), one.name, graph::name(dtype), one.run.shift);
  const NarrowCase both = narrow_case(one, dtype);
  Run wide = both.wide;
  wide.shift = 0;
  const auto expected = run(*test::device("reference"), wide), actual = run(device, both.narrow);
  REQUIRE(actual.size() == expected.size());
  for (std::size_t o = 0; o < actual.size(); ++o) {
    // What is narrow in both is rounded in both, and what is f32 is not where it is stored.
    double stored = graph::is_narrow(actual[o].type.dtype) ? 0 : -1;
    if (graph::is_narrow(expected[o].type.dtype)) stored += 1;
    HostTensor widened = actual[o];
    widened.type.dtype = expected[o].type.dtype;
    CHECK(largest_error(widened, expected[o], 1.0) <=
          tolerance(one.terms) + (roundings + stored) * unit_roundoff(dtype));
  }
}

}  // namespace ddlbench::test
