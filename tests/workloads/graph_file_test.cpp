#include <fmt/core.h>
#include <fstream>

#include "built.h"
#include "catch.h"
#include "source_path.h"
#include "temporary_folder.h"
#include "workloads/models/layers/graph_file.h"
#include "workloads/models/layers/layer_kind.h"

namespace ddlbench::workloads {
namespace {

const std::string sample = R"("sample": {"shape": [3, 8, 8], "classes": 5})";

graph::Graph built(const std::string& text, std::int64_t batch = 2) {
  const GraphFile file = parse_graph(text, "m.json");
  return build_graph(file, {file.default_sample, batch, {}});
}

/// Returns a model with `members` after its name and sample, from line 2 on.
std::string document(const std::string& members) {
  return "{\"name\": \"m\", " + sample + ",\n" + members + "}";
}

std::string problem(const std::string& members) {
  try {
    built(document(members));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string problem_of_layers(const std::string& layers) {
  return problem("\"layers\": [\n" + layers + "]");
}

const std::string head = R"({"kind": "flatten"}, {"kind": "linear", "features": "$classes"})";

}  // namespace

// He et al. 2016 report 0.85 M parameters: 853,018 with parameter-free shortcuts. With two projection shortcuts, as in
// PyTorch, there are 853,018 + (16·32 + 64) + (32·64 + 128) = 855,770.
TEST_CASE("the JSON model resnet56 is the published ResNet-56 for CIFAR") {
  const OptionValues file{{"file", (source_root() / "configs/models/resnet56.json").string()}};
  const graph::Graph net = build("graph", 4, file);
  CHECK(net.name == "resnet56");
  CHECK(net.parameter_elements() == 855770);
  CHECK(type_behind(net, "layer1.8.bn2") == "f32[4x16x32x32]");
  CHECK(type_behind(net, "layer2.8.bn2") == "f32[4x32x16x16]");
  CHECK(type_behind(net, "layer3.8.bn2") == "f32[4x64x8x8]");
  CHECK(type_behind(net, "fc") == "f32[4x10]");
  CHECK(type_behind(build("graph", images({3, 32, 32}, 100), 4, file), "fc") == "f32[4x100]");
  int convolutions = 0;
  for (const graph::Node& node : net.nodes) convolutions += node.op->kind() == "conv2d" ? 1 : 0;
  CHECK(convolutions == 55 + 2);
  CHECK_NOTHROW(graph::differentiate(net));
}

TEST_CASE("a layer reads the inputs that it names, else the previous layer") {
  const graph::Graph net = built(document(R"("layers": [
    {"kind": "conv2d", "name": "a", "channels": 4, "kernel": 3, "padding": 1, "start": "normal", "deviation": 0.5},
    {"kind": "conv2d", "name": "b", "channels": 4, "kernel": 1, "groups": 2, "bias": false, "activation": "relu"},
    {"kind": "add", "inputs": ["a", "b"]},
    {"kind": "max_pool2d", "kernel": 2}, {"kind": "average_pool2d", "kernel": 2},
    {"kind": "flatten"}, {"kind": "dropout", "rate": 0.2},
    {"kind": "linear", "name": "fc1", "features": 7}, {"kind": "gelu", "form": "exact"}, {"kind": "layer_norm"},
    {"kind": "linear", "name": "fc2", "features": "$classes"}])"));
  CHECK(parameter_list(net) == std::vector<std::string>{"a.weight 4x3x3x3", "a.bias 4", "b.weight 4x2x1x1",
                                                        "fc1.weight 7x16", "fc1.bias 7", "layer_norm.weight 7",
                                                        "layer_norm.bias 7", "fc2.weight 5x7", "fc2.bias 5"});
  CHECK(initializer_of(net, "a.weight").b == Approx(0.5));
  CHECK(type_behind(net, "max_pool2d") == "f32[2x4x4x4]");
  CHECK_NOTHROW(graph::differentiate(net));
}

TEST_CASE("layers of a list without a name are numbered where their kind occurs several times") {
  const graph::Graph net = built(document(R"("blocks": {"one": {"layers": [{"kind": "linear", "features": 4}]}},
    "layers": [{"kind": "flatten"}, {"kind": "linear", "features": 8}, {"kind": "linear", "name": "linear_2", "features": 8},
    {"kind": "linear", "features": 8}, {"kind": "add", "inputs": ["linear_1", "linear_3"]},
    {"kind": "gelu", "name": "layer_norm"}, {"kind": "layer_norm"}, {"block": "one"}, {"block": "one"},
    {"kind": "linear", "features": "$classes"}])"));
  std::vector<std::string> names;
  for (const graph::Node& node : net.nodes) names.push_back(node.name);
  CHECK(names == std::vector<std::string>{"flatten", "linear_1", "linear_2", "linear_3", "add", "layer_norm",
                                          "layer_norm_1", "one_1.linear", "one_2.linear", "linear_4", "loss"});
  CHECK(problem_of_layers(R"({"kind": "flatten"}, {"kind": "linear", "features": 8}, {"kind": "linear", "features": 8},
{"kind": "linear", "inputs": "linear", "features": 5})") ==
        "m.json:4:30: /layers/3/inputs: unknown layer \"linear\" (did you mean \"linear_1\"?)");
  CHECK(problem_of_layers(R"({"kind": "flatten"}, {"kind": "linear", "inputs": "linear_2", "features": 8},
{"kind": "linear", "features": 5})") ==
        "m.json:3:51: /layers/1/inputs: the layer \"linear_2\" comes later, in line 4: inputs must come before the "
        "layers that read them");
}

TEST_CASE("a JSON model of a text has embeddings, positions and attention") {
  const graph::Graph net = built(R"({"name": "t", "sample": {"type": "i32", "shape": [6], "classes": 11}, "layers": [
    {"kind": "embedding", "name": "wte", "rows": "$classes", "features": 8}, {"kind": "positions", "name": "wpe"},
    {"kind": "linear", "name": "qkv", "features": 24}, {"kind": "attention", "heads": 2},
    {"kind": "linear", "name": "head", "features": "$classes", "bias": false}]})");
  CHECK(parameter_list(net) == std::vector<std::string>{"wte.weight 11x8", "wpe.weight 6x8", "qkv.weight 24x8",
                                                        "qkv.bias 24", "head.weight 11x8"});
  CHECK(type_behind(net, "attention") == "f32[2x6x8]");
}

TEST_CASE("blocks repeat, nest, and use parameters of the model and of their own") {
  const graph::Graph net = built(document(R"("parameters": {"width": 4},
    "blocks": {
      "pair": {"parameters": ["kernel"], "layers": [{"block": "one", "name": "a", "with": {"k": "$kernel"}},
                                                    {"kind": "conv2d", "name": "b", "channels": "$width", "kernel": 1}]},
      "one": {"parameters": ["k"], "layers": [{"kind": "conv2d", "name": "c", "channels": "$width", "kernel": "$k"}]}},
    "layers": [{"block": "pair", "name": "p", "repeat": 2, "first": 3, "with": {"kernel": 2}}, )" +
                                          head + "]"));
  std::vector<std::string> names;
  for (const graph::Node& node : net.nodes) names.push_back(node.name);
  CHECK(names == std::vector<std::string>{"p.3.a.c", "p.3.b", "p.4.a.c", "p.4.b", "flatten", "linear", "loss"});
  CHECK(type_behind(net, "p.4.b") == "f32[2x4x6x6]");
}

TEST_CASE("errors in a layer are reported with line, column and JSON pointer") {
  CHECK(problem_of_layers(R"({"kind": "conv2s"})") ==
        "m.json:3:10: /layers/0/kind: unknown kind of layer \"conv2s\" (did you mean \"conv2d\"?)");
  CHECK(problem_of_layers(R"({"kind": "relu"})").find("\"activation\": \"relu\"") != std::string::npos);
  CHECK(problem_of_layers(R"({"kind": "linear", "featurs": 3})").find("/layers/0/features: missing: linear needs") !=
        std::string::npos);
  CHECK(problem_of_layers(R"({"kind": "linear", "features": 3, "bais": true})") ==
        "m.json:3:35: /layers/0/bais: unknown key \"bais\" (did you mean \"bias\"?)");
  CHECK(problem_of_layers(R"({"kind": "linear", "features": 0})") ==
        "m.json:3:32: /layers/0/features: expected an integer from 1 to 16777216; found 0");
  CHECK(problem_of_layers(R"({"kind": "linear", "features": 3, "activation": "rlu"})") ==
        "m.json:3:49: /layers/0/activation: expected \"none\" or \"relu\"; found the string \"rlu\"");
  CHECK(problem_of_layers(R"({"kind": "linear", "features": "$clases"})") ==
        "m.json:3:32: /layers/0/features: unknown parameter \"$clases\" (did you mean \"$classes\"?)");
  CHECK(problem_of_layers(R"({"name": "x"})") ==
        "m.json:3:1: /layers/0/kind: missing: a layer has a \"kind\", or the \"block\" that it repeats");
}

TEST_CASE("a value of another kind than its setting needs is reported as it is written") {
  const auto features = [](const std::string& value) {
    return problem_of_layers("{\"kind\": \"linear\", \"features\": " + value + "}");
  };
  const std::string wanted = "m.json:3:32: /layers/0/features: expected an integer from 1 to 16777216; found ";
  for (const char* value : {"null", "true", "false", "1.5", "1e-9", "-2"}) CHECK(features(value) == wanted + value);
  CHECK(features("[1]") == wanted + "a list");
  CHECK(features("{}") == wanted + "an object");
  CHECK(problem_of_layers(R"({"kind": "linear", "features": 3, "bias": 1})") ==
        "m.json:3:43: /layers/0/bias: expected true or false; found 1");
  CHECK(problem_of_layers(R"({"kind": "linear", "features": 3, "start": "normal", "deviation": -1})") ==
        "m.json:3:67: /layers/0/deviation: expected a number of at least 0; found -1");
  CHECK(problem_of_layers(R"({"kind": ""})") == "m.json:3:10: /layers/0/kind: expected a string; found an empty one");
  CHECK(problem_of_layers(R"({"kind": 1.5})") == "m.json:3:10: /layers/0/kind: expected a string; found 1.5");
  CHECK(problem_of_layers("3") == "m.json:3:1: /layers/0: expected a layer, which is an object");
}

TEST_CASE("an input with other dimensions than a layer needs is reported with its shape") {
  CHECK(problem_of_layers(R"({"kind": "flatten"}, {"kind": "conv2d", "name": "c", "channels": 4, "kernel": 1})") ==
        "m.json:3:22: /layers/1: c is invalid: c: a convolution needs images [batch, channels, height, width], but its "
        "input is 2x192");
  CHECK(problem_of_layers(R"({"kind": "conv2d", "name": "c", "channels": 4, "kernel": 1, "groups": 2})") ==
        "m.json:3:1: /layers/0: c is invalid: c: 3 channels and 4 outputs do not both divide into 2 groups");
  CHECK(problem_of_layers(R"({"kind": "positions"})") ==
        "m.json:3:1: /layers/0: positions is invalid: positions are added to [batch, positions, features], but the "
        "input is 2x3x8x8");
  CHECK(problem_of_layers(R"({"kind": "attention", "heads": 2})") ==
        "m.json:3:1: /layers/0: attention is invalid: attention needs [batch, positions, 2 heads x 3 x head size], but "
        "the input is 2x3x8x8");
}

TEST_CASE("inputs must be defined earlier, and every output must be used") {
  const std::string conv = R"({"kind": "conv2d", "name": "a", "channels": 4, "kernel": 1})";
  CHECK(problem_of_layers(conv + ",\n{\"kind\": \"add\", \"inputs\": [\"a\", \"b\"]},\n"
                                 "{\"kind\": \"flatten\", \"name\": \"b\"}") ==
        "m.json:4:33: /layers/1/inputs/1: the layer \"b\" comes later, in line 5: inputs must come before the layers "
        "that read them");
  CHECK(problem_of_layers(conv + ",\n{\"kind\": \"add\", \"inputs\": [\"a\", \"inputt\"]}") ==
        "m.json:4:33: /layers/1/inputs/1: unknown layer \"inputt\" (did you mean \"input\"?)");
  CHECK(problem_of_layers(conv + ",\n{\"kind\": \"add\"}") ==
        "m.json:4:1: /layers/1: add: add takes 2 inputs, but has 1: list them in \"inputs\"");
  CHECK(problem_of_layers(conv + ",\n" + conv).find("the name \"a\" is taken by the layer of line 3") !=
        std::string::npos);
  CHECK(problem_of_layers(conv + ",\n{\"kind\": \"flatten\", \"inputs\": \"input\"}") ==
        "m.json:3:1: /layers: nothing reads the output of the layer \"a\"");
}

TEST_CASE("an error for a shape that does not fit names the layer") {
  const std::string text =
      problem_of_layers(R"({"kind": "conv2d", "name": "big", "channels": 4, "kernel": 9})" + (", " + head));
  CHECK(text.starts_with("m.json:3:1: /layers/0: big is invalid: "));
  CHECK(text.find("8x8") != std::string::npos);
  const std::string blocks =
      "\"blocks\": {\"shrink\": {\"layers\": [\n{\"kind\": \"max_pool2d\", \"name\": \"pool\", \"kernel\": 2}]}},\n"
      "\"layers\": [{\"block\": \"shrink\", \"name\": \"s\", \"repeat\": 4}, ";
  CHECK(problem(blocks + head + "]").starts_with("m.json:3:1: /blocks/shrink/layers/0: s.3.pool is invalid: "));
  CHECK(problem_of_layers(R"({"kind": "flatten"}, {"kind": "linear", "features": 4})") ==
        "m.json:3:22: /layers/1: the last layer has 4 outputs for each label, but there are 5 classes: set it to "
        "\"$classes\"");
}

TEST_CASE("blocks that are unknown, lack parameters or contain themselves are reported") {
  const std::string blocks =
      "\"blocks\": {\"one\": {\"parameters\": [\"k\"], \"layers\": [{\"kind\": \"flatten\"}]},\n"
      "\"loop\": {\"layers\": [{\"block\": \"loop\"}]}},\n";
  CHECK(problem(blocks + "\"layers\": [{\"block\": \"onee\"}]") ==
        "m.json:4:22: /layers/0/block: unknown block \"onee\" (did you mean \"one\"?)");
  CHECK(problem(blocks + "\"layers\": [{\"block\": \"one\"}]") ==
        "m.json:4:12: /layers/0/with/k: missing: the block needs a value for this parameter");
  CHECK(problem(blocks + "\"layers\": [{\"block\": \"one\", \"with\": {\"kk\": 1}}]").find("did you mean \"k\"") !=
        std::string::npos);
  CHECK(problem(blocks + "\"layers\": [{\"block\": \"loop\"}]") ==
        "m.json:3:31: /blocks/loop/layers/0/block: the block \"loop\" contains itself");
  CHECK(problem("\"blocks\": {\"b\": {\"parameters\": \"k\", \"layers\": [{}]}},\n\"layers\": [{\"block\": \"b\"}]") ==
        "m.json:2:32: /blocks/b/parameters: expected a list of names");
  CHECK(problem(blocks + "\"layers\": [{\"block\": \"one\", \"repeat\": 0}]").find("/layers/0/") != std::string::npos);
  CHECK(problem("\"blocks\": {\"b\": {\"layers\": []}},\n\"layers\": [{\"block\": \"b\"}]") ==
        "m.json:2:17: /blocks/b/layers: expected a list of layers");
}

TEST_CASE("nesting and repetition of blocks are limited", "[F13]") {
  const auto nested = [](int levels) {
    std::string blocks = "\"blocks\": {";
    for (int i = 0; i < levels; ++i) {
      const std::string next = i + 1 < levels ? R"({"block": "b)" + std::to_string(i + 1) + "\"}" : head;
      blocks += (i > 0 ? ",\n\"b" : "\"b") + std::to_string(i) + "\": {\"layers\": [" + next + "]}";
    }
    return blocks + "},\n\"layers\": [{\"block\": \"b0\"}]";
  };
  CHECK(problem(nested(64)) == "accepted");
  CHECK(problem(nested(65)) == "m.json:65:30: /blocks/b63/layers/0/block: blocks are nested deeper than 64 levels");
  CHECK(problem(nested(20000)) == "m.json:65:30: /blocks/b63/layers/0/block: blocks are nested deeper than 64 levels");

  const std::string block = R"("blocks": {"one": {"layers": [{"kind": "linear", "features": 4}]}},)";
  const auto repeated = [&](int times) {
    return problem(block + "\n\"layers\": [{\"kind\": \"flatten\"}, {\"block\": \"one\", \"repeat\": " +
                   std::to_string(times) + "},\n{\"kind\": \"linear\", \"features\": \"$classes\"}]");
  };
  CHECK(repeated(1000) == "accepted");
  CHECK(repeated(9000) ==
        "m.json:2:31: /blocks/one/layers/0: the model has more than the 4000 layers and blocks that it may have; use "
        "fewer repetitions");
}

TEST_CASE("the number of layers is limited for every kind of model", "[F13]") {
  const Integers hidden(200000, 1);
  CHECK(rejection("mlp", images({1, 2, 2}), {{"hidden", hidden}}) ==
        "mlp: has more than the 4000 layers that a model may have; use fewer");
}

TEST_CASE("declarations and settings without effect are reported") {
  const std::string layers = "\"layers\": [" + head + "]";
  CHECK(problem("\"parameters\": {\"width\": 4},\n" + layers) ==
        "m.json:2:16: /parameters/width: no layer uses the parameter \"$width\": use it, or remove it");
  CHECK(problem("\"blocks\": {\"one\": {\"layers\": [{\"kind\": \"flatten\"}]}},\n" + layers) ==
        "m.json:2:12: /blocks/one: no layer uses the block \"one\": use it, or remove it");
  const std::string block =
      "\"blocks\": {\"one\": {\"parameters\": [\"k\"], \"layers\": [{\"kind\": \"flatten\"}]}},\n";
  CHECK(problem(block + "\"layers\": [{\"block\": \"one\", \"with\": {\"k\": 1}}, " + head + "]") ==
        "m.json:2:35: /blocks/one/parameters/0: no layer of the block uses the parameter \"$k\": use it, or remove it");
  CHECK(problem("\"blocks\": {\"one\": {\"layers\": [{\"kind\": \"flatten\"}]}},\n"
                "\"layers\": [{\"block\": \"one\", \"first\": 3}, {\"kind\": \"linear\", \"features\": 5}]") ==
        "m.json:3:29: /layers/0/first: applies only to a block with \"repeat\"");
  CHECK(problem_of_layers(R"({"kind": "flatten"}, {"kind": "linear", "features": 5, "deviation": 0.1})") ==
        "m.json:3:56: /layers/1/deviation: linear: applies only to a weight with \"start\": \"normal\"");
}

TEST_CASE("parameters of a model are an object and do not redefine the data set's classes") {
  const std::string layers = "\"layers\": [" + head + "]";
  CHECK(problem("\"parameters\": [4],\n" + layers) ==
        "m.json:2:15: /parameters: expected an object of names and values");
  CHECK(problem("\"parameters\": {\"classes\": 4},\n" + layers) ==
        "m.json:2:16: /parameters/classes: \"$classes\" is already defined: the data set's number of classes");
}

TEST_CASE("a model with a tensor that is too large is rejected and the layer named") {
  const auto told = [](const std::string& shape, const std::string& layers) -> std::string {
    try {
      built(R"({"name": "m", "sample": {"shape": )" + shape + R"(, "classes": 5}, "layers": [)" + layers + "]}");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(told("[4294967296, 4294967296]", head) ==
        "'images': a tensor of 2x4294967296x4294967296 elements is too large: the limit is 2^47; reduce it, or the "
        "global batch");
  CHECK(
      told("[16777216]", R"({"kind": "linear", "features": 16777216}, )" + head)
          .ends_with("linear_1 is invalid: 'linear_1.weight': a tensor of 16777216x16777216 elements is too large: the "
                     "limit is 2^47; reduce it, or the global batch"));
  CHECK(
      told("[1, 33554432, 1]", R"({"kind": "conv2d", "channels": 16777216, "kernel": 1}, )" + head).find("too large") !=
      std::string::npos);
}

TEST_CASE("an embedding table smaller than the text's vocabulary is rejected when the model is built") {
  const auto told = [](const std::string& rows) -> std::string {
    try {
      built(R"({"name": "m", "sample": {"type": "i32", "shape": [6], "classes": 30}, "layers": [
        {"kind": "embedding", "rows": )" +
            rows + R"(, "features": 4}, {"kind": "linear", "features": "$classes"}]})");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(told("29") ==
        "m.json:2:9: /layers/0: embedding is invalid: a table of 29 rows is too small for the data set's 30 tokens: "
        "use \"$classes\"");
  CHECK(told("30") == "accepted");
  CHECK(told("31") == "accepted");
}

TEST_CASE("a file that is not a model document is rejected") {
  const auto refused = [](const std::string& text) {
    try {
      parse_graph(text, "m.json");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(refused("{\"name\": 1,}").starts_with("m.json:1:"));
  CHECK(refused("[]") == "m.json:1:1: expected an object; found a list");
  CHECK(refused("{\"name\": \"m\"}") == "m.json:1:1: /sample: missing: expected the sample that the model is made for");
  CHECK(refused("{\"name\": \"m\", \"sample\": {\"shape\": [0], \"classes\": 1}, \"layers\": [{}]}") ==
        "m.json:1:36: /sample/shape/0: expected an integer from 1 to 4294967296; found 0");
  CHECK(refused(R"({"name": "m", "sample": {"shape": 3, "classes": 1}, "layers": [{}]})") ==
        "m.json:1:35: /sample/shape: expected a list of the sizes of one sample");
  CHECK(refused("{\"name\": \"m\", " + sample + ", \"layers\": {}}") ==
        "m.json:1:71: /layers: expected a list of layers");
  CHECK(refused("{\"nam\": \"m\"}") == "m.json:1:2: /nam: unknown key \"nam\" (did you mean \"name\"?)");
  CHECK(rejection("graph", images({3, 8, 8})).find("set `file`") != std::string::npos);
  CHECK(rejection("graph", images({3, 8, 8}), {{"file", std::string("/nowhere.json")}}) ==
        "/nowhere.json: cannot be opened: No such file or directory");
}

TEST_CASE("names and parameters of a model have limits", "[F13]") {
  const std::string name(100, 'n');
  const auto named = [](const std::string& text) {
    return problem_of_layers(R"({"kind": "flatten", "name": ")" + text +
                             R"("}, {"kind": "linear", "features": "$classes"})");
  };
  CHECK(named(name) == "accepted");
  CHECK(named(name + "n") == "m.json:3:29: /layers/0/name: is longer than the 100 bytes that a name may have");
  const auto with_parameters = [](const std::string& parameters) {
    return problem("\"parameters\": {" + parameters + "},\n\"layers\": [" + head + "]");
  };
  CHECK(with_parameters(R"("a": [1])") == "m.json:2:21: /parameters/a: expected a number, a string, true or false");
  std::string many = "\"p\": 1";
  for (int i = 0; i < 1000; ++i) many += fmt::format(", \"p{}\": 1", i);
  CHECK(with_parameters(many) ==
        "m.json:2:15: /parameters: there are 1001 parameters here, more than the 1000 that there may be");
}

TEST_CASE("the content of a model's file is its definition") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "m.json";
  std::ofstream(path) << "abc";
  CHECK(find_model("graph").definition({{"file", path}}) == "abc");
  CHECK(find_model("lenet").definition == nullptr);
}

TEST_CASE("every kind of layer and each of its settings has a help text") {
  for (const LayerKind& kind : layer_kinds()) {
    CHECK_FALSE(kind.help.empty());
    for (const Option& option : kind.options) CHECK_FALSE(option.help.empty());
  }
}

}  // namespace ddlbench::workloads
