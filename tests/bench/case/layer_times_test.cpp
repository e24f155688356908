#include "bench/case/layer_times.h"

#include <algorithm>

#include "bench/case/peaks.h"
#include "catch.h"
#include "workloads/model.h"

using namespace ddlbench;

namespace {

graph::Graph lenet_graph(std::int64_t batch) {
  const auto& kind = workloads::find_model("lenet");
  workloads::ModelRequest request;
  request.options = with_defaults(kind.options, {});
  request.shape = kind.default_sample(request.options);
  request.batch = batch;
  return kind.build(request);
}

std::unique_ptr<kernels::Device> device(const std::string& kind) {
  return kernels::make_device(kind, {});
}

}  // namespace

TEST_CASE("the input and weight halves of each layer's backward pass are timed where they exist") {
  const graph::Graph model = lenet_graph(2), training = graph::differentiate(model);
  const auto times = bench::time_layers(model, *device("cpu"), true);
  REQUIRE(times.size() == model.nodes.size());
  std::vector<bool> has_input(times.size()), has_weight(times.size());
  for (const graph::Node& node : training.nodes) {
    if (node.op->is_view() || node.phase == graph::Phase::forward) continue;
    auto& has = node.phase == graph::Phase::backward_input ? has_input : has_weight;
    has[static_cast<std::size_t>(node.origin)] = true;
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    CAPTURE(model.nodes[i].name);
    CHECK((times[i].forward_seconds > 0) == !model.nodes[i].op->is_view());
    CHECK((times[i].backward_input_seconds > 0) == has_input[i]);
    CHECK((times[i].backward_weight_seconds > 0) == has_weight[i]);
    CHECK(times[i].seconds() ==
          times[i].forward_seconds + times[i].backward_input_seconds + times[i].backward_weight_seconds);
  }
}

TEST_CASE("without the backward pass only forward is timed, and progress is reported for each layer") {
  const graph::Graph model = lenet_graph(1);
  std::vector<std::size_t> announced;
  const auto progress = [&](std::size_t layer) { announced.push_back(layer); };
  for (const auto& times : bench::time_layers(model, *device("cpu"), false, progress)) {
    CHECK(times.backward_input_seconds == 0);
    CHECK(times.backward_weight_seconds == 0);
  }
  REQUIRE(announced.size() == model.nodes.size());
  for (std::size_t i = 0; i < announced.size(); ++i) CHECK(announced[i] == i);
}

TEST_CASE("a layer's workspace is the maximum over its kernels") {
  const graph::Graph model = lenet_graph(2);
  const auto oracle = device("reference");  // its f64 sums are its workspace
  const auto times = bench::time_layers(model, *oracle, false);
  const std::int64_t outputs =
      graph::elements(model.tensors[static_cast<std::size_t>(model.nodes[0].outputs[0])].type.shape);
  CHECK(times[0].workspace_bytes == outputs * 8);
}

TEST_CASE("operands rotate between enough locations to make caches as warm as in a step") {
  constexpr std::int64_t mebibyte = 1 << 20;
  CHECK(bench::places_in_caches(mebibyte, 4 * mebibyte) == 4);           // a step that fits into caches
  CHECK(bench::places_in_caches(10 * mebibyte, 2000 * mebibyte) == 13);  // 128 MiB, which does not
  CHECK(bench::places_in_caches(1000 * mebibyte, 2000 * mebibyte) == 1);
  CHECK(bench::places_in_caches(0, 2000 * mebibyte) == bench::places_in_caches(1, 2000 * mebibyte));
  CHECK(bench::places_in_caches(16, 2000 * mebibyte) == 256);
}

TEST_CASE("the tensors of a step are counted once, and views not at all") {
  const graph::Graph model = lenet_graph(2);
  std::int64_t bytes = 0;
  for (std::size_t id = 0; id < model.tensors.size(); ++id) {
    const bool of_view = std::any_of(model.nodes.begin(), model.nodes.end(), [id](const graph::Node& node) {
      return node.op->is_view() && node.outputs.at(0) == static_cast<graph::TensorId>(id);
    });
    if (!of_view) bytes += static_cast<std::int64_t>(graph::bytes(model.tensors[id].type));
  }
  CHECK(bench::bytes_of_tensors(model) == bytes);
}

TEST_CASE("peaks are the best rates that were measured, of products and of copies") {
  const auto of = device("cpu");
  bench::PeakProbe probe(*of, graph::DType::f32);
  const bench::Peaks first = probe.best();
  CHECK(first.size >= 256);
  CHECK(first.flops_per_second > 0);
  CHECK(first.bytes_per_second == 0);
  probe.measure_products();
  probe.measure_memory();
  CHECK(probe.best().flops_per_second >= first.flops_per_second);
  CHECK(probe.best().size == first.size);
  CHECK(probe.best().bytes_per_second > 0);
}
