#include <cmath>
#include <fstream>
#include <map>

#include "built.h"
#include "catch.h"
#include "graph/ops/batch_norm.h"
#include "source_path.h"

namespace ddlbench::workloads {
namespace {

/// Returns the lines "NAME SHAPE" of each model, as written by torchvision_parameters.py.
std::map<std::string, std::vector<std::string>> torchvision_lists() {
  std::ifstream file(source_root() / "tests/workloads/torchvision_parameters.txt");
  REQUIRE(file);
  std::map<std::string, std::vector<std::string>> lists;
  std::string model, rest;
  while (file >> model && std::getline(file >> std::ws, rest)) lists[model].push_back(rest);
  return lists;
}

}  // namespace

TEST_CASE("parameters have torchvision's names, shapes and order") {
  const auto lists = torchvision_lists();
  for (const char* model : {"alexnet", "vgg16", "resnet18", "resnet50"}) {
    INFO(model);
    CHECK(parameter_list(build(model, 1)) == lists.at(model));
  }
  for (const char* model : {"resnet34", "resnet101", "resnet152"}) {
    CHECK(lists.at(model).front() == "total " + std::to_string(build(model, 1).parameter_elements()));
  }
}

// Simonyan & Zisserman 2014; He et al. 2016; torchvision's documentation.
TEST_CASE("models have the published numbers of parameters") {
  CHECK(build("alexnet", 1).parameter_elements() == 61100840);
  CHECK(build("vgg16", 1).parameter_elements() == 138357544);
  CHECK(build("resnet50", 1).parameter_elements() == 25557032);
}

TEST_CASE("activations have torchvision's sizes") {
  const graph::Graph alexnet = build("alexnet", 2);
  CHECK(type_behind(alexnet, "features.0") == "f32[2x64x55x55]");
  CHECK(type_behind(alexnet, "features.12") == "f32[2x256x6x6]");
  const graph::Graph vgg = build("vgg16", 2);
  CHECK(type_behind(vgg, "features.30") == "f32[2x512x7x7]");
  CHECK(type_behind(vgg, "classifier.6") == "f32[2x1000]");
  const graph::Graph resnet = build("resnet50", 2);
  CHECK(type_behind(resnet, "maxpool") == "f32[2x64x56x56]");
  CHECK(type_behind(resnet, "layer4.2.conv3") == "f32[2x2048x7x7]");
  CHECK(type_behind(resnet, "fc") == "f32[2x1000]");
}

TEST_CASE("smaller images are pooled to the classifier size, or rejected with the minimum size") {
  CHECK(type_behind(build("vgg16", images({3, 40, 64}, 7), 2), "avgpool") == "f32[2x512x7x7]");
  CHECK(type_behind(build("alexnet", images({3, 63, 63}, 7), 2), "avgpool") == "f32[2x256x6x6]");
  CHECK(rejection("vgg16", images({3, 31, 64})).find("at least 32x32") != std::string::npos);
  CHECK(rejection("alexnet", images({3, 62, 64})).find("at least 63x63") != std::string::npos);
  CHECK(type_behind(build("resnet18", images({3, 1, 1}, 7), 2), "layer4.1.conv2") == "f32[2x512x1x1]");
  CHECK(rejection("resnet50", text(16)).find("f32 images") != std::string::npos);
}

// The network of PowerSGD's experiments (Vogels et al. 2019).
TEST_CASE("a residual network for small images keeps their size in its first layers") {
  const auto graph = build("resnet18", images({3, 32, 32}, 10), 2, {{"small_images", true}});
  CHECK(graph.parameter_elements() == 11173962);
  CHECK(type_behind(graph, "layer1.0.conv1") == "f32[2x64x32x32]");
  CHECK(type_behind(graph, "layer4.1.conv2") == "f32[2x512x4x4]");
}

TEST_CASE("weights have torchvision's initialisation") {
  const auto is_normal = [](const graph::Initializer& start, double deviation) {
    CHECK(start.kind == graph::Initializer::Kind::normal);
    CHECK(start.a == 0);
    CHECK(start.b == Approx(deviation));
  };
  const graph::Graph vgg = build("vgg16", 1);
  is_normal(initializer_of(vgg, "features.0.weight"), std::sqrt(2.0 / (64 * 9)));
  is_normal(initializer_of(vgg, "features.28.weight"), std::sqrt(2.0 / (512 * 9)));
  is_normal(initializer_of(vgg, "classifier.3.weight"), 0.01);
  CHECK(initializer_of(vgg, "classifier.3.bias").kind == graph::Initializer::Kind::constant);
  const graph::Graph resnet = build("resnet50", 1);
  is_normal(initializer_of(resnet, "conv1.weight"), std::sqrt(2.0 / (64 * 49)));
  is_normal(initializer_of(resnet, "layer2.0.downsample.0.weight"), std::sqrt(2.0 / 512));
  CHECK(initializer_of(resnet, "layer1.0.bn3.weight").a == 1);
  CHECK(initializer_of(resnet, "fc.weight").b == Approx(1 / std::sqrt(2048.0)));
  CHECK(initializer_of(build("alexnet", 1), "features.3.weight").b == Approx(1 / std::sqrt(64 * 25.0)));
}

TEST_CASE("image models can be differentiated, and evaluated without dropout and batch moments") {
  for (const char* model : {"alexnet", "vgg16", "resnet18", "resnet50"}) {
    const graph::Graph net = build(model, 2);
    CHECK_NOTHROW(graph::differentiate(net));
    const graph::Evaluation evaluation = graph::for_evaluation(net);
    CHECK(evaluation.graph.parameter_elements() == net.parameter_elements());
    for (const graph::Node& node : evaluation.graph.nodes) {
      CHECK(node.op->kind() != "dropout");
      CHECK(node.op->kind() != "batch_moments");
    }
  }
}

TEST_CASE("dropout of rate 0 adds no layer") {
  const auto has_samples = [](double rate) {
    return !build("vgg16", images({3, 32, 32}), 2, {{"dropout", rate}}).with_role(graph::Role::sample).empty();
  };
  CHECK(has_samples(0.5));
  CHECK_FALSE(has_samples(0.0));
}

TEST_CASE("a residual network's statistics may cover fewer samples than the batch") {
  const auto groups = [](std::int64_t samples) {
    return graph::samples_per_statistic(
        build("resnet18", images({3, 32, 32}), 8, {{"samples_per_statistic", samples}}));
  };
  CHECK(groups(0) == 1);
  CHECK(groups(4) == 4);
}

}  // namespace ddlbench::workloads
