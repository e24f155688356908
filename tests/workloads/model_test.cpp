#include <cmath>
#include <map>
#include <memory>

#include "base/error.h"
#include "built.h"
#include "catch.h"
#include "workloads/dataset.h"

namespace ddlbench::workloads {
namespace {

std::map<std::string, std::string> parameters(const graph::Graph& graph) {
  std::map<std::string, std::string> found;
  for (const graph::TensorId id : graph.with_role(graph::Role::parameter)) {
    const graph::TensorSpec& spec = graph.tensors[static_cast<std::size_t>(id)];
    found[spec.name] = graph::to_string(spec.type.shape);
  }
  return found;
}

TEST_CASE("lenet has its known parameters") {
  const graph::Graph net = build("lenet", images({1, 28, 28}), 64);
  CHECK(net.batch() == 64);
  CHECK(net.parameter_elements() == 44426);
  const std::map<std::string, std::string> expected{
      {"conv1.weight", "6x1x5x5"}, {"conv1.bias", "6"}, {"conv2.weight", "16x6x5x5"}, {"conv2.bias", "16"},
      {"fc1.weight", "120x256"},   {"fc1.bias", "120"}, {"fc2.weight", "84x120"},     {"fc2.bias", "84"},
      {"fc3.weight", "10x84"},     {"fc3.bias", "10"}};
  CHECK(parameters(net) == expected);
}

TEST_CASE("models end in the loss and the counts of correct samples") {
  for (const char* model : {"lenet", "mlp"}) {
    const graph::Graph net = build(model, images({3, 32, 32}, 7), 8);
    const auto metrics = net.with_role(graph::Role::metric);
    REQUIRE(metrics.size() == 3);
    CHECK(net.tensors[static_cast<std::size_t>(metrics[0])].name == "loss");
    CHECK(net.tensors[static_cast<std::size_t>(metrics[1])].name == "correct");
    CHECK(net.tensors[static_cast<std::size_t>(metrics[2])].name == "correct_top5");
    const auto inputs = net.with_role(graph::Role::input);
    const auto labels = net.with_role(graph::Role::label);
    REQUIRE(inputs.size() == 1);
    REQUIRE(labels.size() == 1);
    CHECK(net.tensors[static_cast<std::size_t>(inputs[0])].name == "images");
    CHECK(graph::to_string(net.tensors[static_cast<std::size_t>(labels[0])].type) == "i32[8]");
    CHECK_NOTHROW(graph::differentiate(net));
  }
}

TEST_CASE("weights and biases are initialised within ±1/sqrt(fan-in)") {
  const graph::Graph net = build("lenet", images({1, 28, 28}), 1);
  const std::map<std::string, double> fan_in{{"conv1", 25}, {"conv2", 150}, {"fc1", 256}, {"fc2", 120}, {"fc3", 84}};
  for (const graph::TensorId id : net.with_role(graph::Role::parameter)) {
    const graph::TensorSpec& spec = net.tensors[static_cast<std::size_t>(id)];
    const double bound = 1 / std::sqrt(fan_in.at(spec.name.substr(0, spec.name.find('.'))));
    CHECK(spec.initializer.kind == graph::Initializer::Kind::uniform);
    CHECK(spec.initializer.a == Approx(-bound));
    CHECK(spec.initializer.b == Approx(bound));
  }
}

TEST_CASE("mlp has the configured widths") {
  const SampleShape shape = images({1, 28, 28});
  CHECK(build("mlp", shape, 4).parameter_elements() == 784 * 512 + 512 + 512 * 256 + 256 + 256 * 10 + 10);
  const std::map<std::string, std::string> expected{
      {"fc1.weight", "32x784"}, {"fc1.bias", "32"}, {"fc2.weight", "10x32"}, {"fc2.bias", "10"}};
  CHECK(parameters(build("mlp", shape, 4, {{"hidden", Integers{32}}})) == expected);
  CHECK(build("mlp", images({5}, 3), 4, {{"hidden", Integers{}}}).parameter_elements() == 18);
}

TEST_CASE("a sample that does not fit is rejected with its size") {
  CHECK_NOTHROW(build("lenet", images({1, 16, 16}), 2));
  const std::string small = rejection("lenet", images({1, 15, 28}));
  CHECK(small.find("at least 16x16") != std::string::npos);
  CHECK(small.find("1x15x28") != std::string::npos);
  CHECK(rejection("lenet", images({784})).find("channels x height x width") != std::string::npos);
  CHECK_THROWS_AS(build("lenet", images({1, 28, 28}), 0), InputError);
}

TEST_CASE("tiny-gpt has the parameters of a GPT-2 of its size") {
  const OptionValues options{{"layers", std::int64_t{1}}, {"heads", std::int64_t{3}}, {"hidden", std::int64_t{12}}};
  const std::map<std::string, std::string> expected{{"wte.weight", "256x12"},
                                                    {"wpe.weight", "8x12"},
                                                    {"h.0.ln_1.weight", "12"},
                                                    {"h.0.ln_1.bias", "12"},
                                                    {"h.0.attn.c_attn.weight", "36x12"},
                                                    {"h.0.attn.c_attn.bias", "36"},
                                                    {"h.0.attn.c_proj.weight", "12x12"},
                                                    {"h.0.attn.c_proj.bias", "12"},
                                                    {"h.0.ln_2.weight", "12"},
                                                    {"h.0.ln_2.bias", "12"},
                                                    {"h.0.mlp.c_fc.weight", "48x12"},
                                                    {"h.0.mlp.c_fc.bias", "48"},
                                                    {"h.0.mlp.c_proj.weight", "12x48"},
                                                    {"h.0.mlp.c_proj.bias", "12"},
                                                    {"ln_f.weight", "12"},
                                                    {"ln_f.bias", "12"}};
  CHECK(parameters(build("tiny-gpt", text(8), 2, options)) == expected);
  auto untied = options;
  untied["tied"] = false;
  CHECK(parameters(build("tiny-gpt", text(8), 2, untied)).at("lm_head.weight") == "256x12");
}

TEST_CASE("tiny-gpt is initialised as GPT-2") {
  const graph::Graph net = build("tiny-gpt", text(8), 2, {{"layers", std::int64_t{2}}});
  CHECK(initializer_of(net, "h.0.attn.c_attn.weight").kind == graph::Initializer::Kind::normal);
  CHECK(initializer_of(net, "h.0.attn.c_attn.weight").b == Approx(0.02));
  CHECK(initializer_of(net, "h.1.mlp.c_proj.weight").b == Approx(0.02 / 2));  // two layers have four additions
  CHECK(initializer_of(net, "h.1.mlp.c_proj.bias").a == 0);
  CHECK(initializer_of(net, "ln_f.weight").kind == graph::Initializer::Kind::constant);
  CHECK(initializer_of(net, "ln_f.weight").a == 1);
}

// Radford et al. 2019, with 1024 positions, 50257 tokens and a tied head.
TEST_CASE("GPT-2's sizes have the published numbers of parameters") {
  CHECK(build("gpt2-small", 1).parameter_elements() == 124439808);
  CHECK(build("gpt2-medium", 1).parameter_elements() == 354823168);
  const OptionValues small{{"layers", std::int64_t{12}}, {"heads", std::int64_t{12}}, {"hidden", std::int64_t{768}}};
  CHECK(build("tiny-gpt", text(1024, 50257), 1, small).parameter_elements() == 124439808);
}

TEST_CASE("GPT-2 keeps its vocabulary for data with fewer tokens, or uses the data's") {
  const auto rows = [](std::int64_t vocabulary) {
    return parameters(build("gpt2-small", text(8), 1, {{"vocabulary", vocabulary}})).at("wte.weight");
  };
  CHECK(parameters(build("gpt2-small", text(8), 1)).at("wte.weight") == "50257x768");
  CHECK(rows(0) == "256x768");
  CHECK(rows(300) == "300x768");
  CHECK(rejection("gpt2-small", text(8), {{"vocabulary", std::int64_t{255}}}) ==
        "gpt2-small: a vocabulary of 255 tokens is too small for the data set's 256");
}

TEST_CASE("GPT-2 has a fused or separate head, and dropout as configured") {
  const auto kinds = [](const OptionValues& options) {
    std::map<std::string, int> count;
    for (const graph::Node& node : build("gpt2-small", text(8), 1, options).nodes)
      ++count[std::string(node.op->kind())];
    return count;
  };
  const auto fused = kinds({});
  CHECK(fused.at("linear_cross_entropy") == 1);
  CHECK(fused.count("cross_entropy") == 0);
  CHECK(fused.at("dropout") == 1 + 2 * 12);
  CHECK(fused.at("linear") == 4 * 12);
  const auto apart = kinds({{"fused_head", false}, {"dropout", 0.0}});
  CHECK(apart.count("linear_cross_entropy") == 0);
  CHECK(apart.at("linear") == 4 * 12 + 1);
  CHECK(apart.count("dropout") == 0);
}

TEST_CASE("a model has the requested loss") {
  const auto last = [](const graph::Graph& net) {
    return std::string(net.nodes.back().op->kind()) + " " + net.nodes.back().op->attributes();
  };
  CHECK(last(build("lenet", images({1, 28, 28}), 2)).starts_with("cross_entropy"));
  const LossChoice squares{LossChoice::Kind::mean_squared_error, 0};
  CHECK(last(build("lenet", images({1, 28, 28}), 2, {}, squares)).starts_with("mean_squared_error"));
  const LossChoice smooth{LossChoice::Kind::cross_entropy, 0.1F};
  CHECK(last(build("lenet", images({1, 28, 28}), 2, {}, smooth)).find("0.1") != std::string::npos);
  CHECK(rejection("tiny-gpt", text(8), {}, squares).find("one label per sample") != std::string::npos);
  CHECK(rejection("gpt2-small", text(8), {}, squares).find("supports no other loss") != std::string::npos);
}

TEST_CASE("cnn-fc has the configured layers") {
  const OptionValues options{{"channels", Integers{8, 16}}, {"kernel", Integers{5, 3}}, {"stride", Integers{2}},
                             {"padding", Integers{2, 0}},   {"pool", Integers{1, 2}},   {"hidden", Integers{20}}};
  const graph::Graph net = build("cnn-fc", images({3, 32, 32}), 2, options);
  CHECK(type_behind(net, "conv1") == "f32[2x8x16x16]");
  CHECK(type_behind(net, "conv2") == "f32[2x16x7x7]");
  CHECK(type_behind(net, "pool2") == "f32[2x16x3x3]");
  CHECK(parameters(net).at("fc1.weight") == "20x144");
  CHECK(parameters(net).at("fc2.weight") == "10x20");
  CHECK(parameters(build("cnn-fc", images({3, 32, 32}), 2, {{"channels", Integers{}}})).at("fc1.weight") == "128x3072");
  CHECK(rejection("cnn-fc", images({3, 32, 32}), {{"kernel", Integers{3, 3, 3}}}) ==
        "cnn-fc: kernel must have one number for all layers or one for each of 2, but has 3");
}

TEST_CASE("a transformer is rejected for samples that are not texts and for fractional head sizes") {
  CHECK(rejection("tiny-gpt", images({1, 28, 28})).find("use the data set text") != std::string::npos);
  CHECK(rejection("lenet", text(784)).find("i32[784]") != std::string::npos);
  CHECK(rejection("tiny-gpt", text(8), {{"heads", std::int64_t{3}}}) ==
        "tiny-gpt: hidden 128 is not divisible by 3 heads; use a multiple");
}

std::string names_of_models() {
  std::string names;
  for (const ModelKind& kind : model_kinds()) names += (names.empty() ? "" : ", ") + kind.name;
  return names;
}

TEST_CASE("an error for an unknown name suggests the nearest") {
  try {
    find_model("lenett");
    FAIL("nothing was thrown");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) ==
          "unknown model 'lenett' (did you mean 'lenet'?); available: " + names_of_models());
  }
  try {
    find_dataset("imagenet-21k");
    FAIL("nothing was thrown");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) ==
          "unknown data set 'imagenet-21k'; available: idx, cifar, image-folder, synthetic, synthetic-text, text");
  }
}

TEST_CASE("every model and data set and each of its options has a help text") {
  for (const ModelKind& kind : model_kinds()) {
    CHECK_FALSE(kind.help.empty());
    for (const Option& option : kind.options) CHECK_FALSE(option.help.empty());
  }
  for (const DatasetKind& kind : dataset_kinds()) {
    CHECK_FALSE(kind.help.empty());
    for (const Option& option : kind.options) CHECK_FALSE(option.help.empty());
  }
}

}  // namespace
}  // namespace ddlbench::workloads
