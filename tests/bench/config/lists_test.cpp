#include "bench/config/resolve.h"
#include "catch.h"
#include "config_fixture.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns the valid configuration with "ddp", in line 28, replaced by "tensor" with `settings`.
std::string with_tensor(const std::string& settings) {
  return with("\"ddp\"", R"({"kind": "tensor", )" + settings + "}");
}

StrategyChoice tensor_with(const std::string& settings) {
  return parse(with_tensor(settings)).strategies[1];
}

}  // namespace

TEST_CASE("an option may be a list") {
  const StrategyChoice made = tensor_with(R"("widths": [4, 4, 8.0], "again": ["norm", "gelu"])");
  CHECK(value_of<Integers>(made.choice.options, "widths") == Integers{4, 4, 8});
  CHECK(value_of<Strings>(made.choice.options, "again") == Strings{"norm", "gelu"});
  CHECK(made.label == "tensor widths=4,4,8 again=norm,gelu");
  CHECK(tensor_with(R"("widths": [])").label == "tensor widths=");
  CHECK(tensor_with(R"("widths": [2], "again": [])").label == "tensor");
}

TEST_CASE("the option --set takes a list") {
  const Experiment made = parse(with_tensor("\"again\": []"), {"/strategies/1/again=[\"gelu\"]"});
  CHECK(made.strategies[1].label == "tensor again=gelu");
  CHECK(errors_of(with_tensor("\"again\": []"), {"/strategies/1/again=gelu,norm"}) ==
        "--set /strategies/1/again=gelu,norm: expected a list of \"gelu\", \"norm\"; found the string \"gelu,norm\": "
        "write [\"gelu\",\"norm\"]");
  // The shell has removed the quotes.
  CHECK(errors_of(with_tensor("\"again\": []"), {"/strategies/1/again=[gelu, norm]"})
            .ends_with("found the string \"[gelu, norm]\": write [\"gelu\",\"norm\"]"));
  CHECK(errors_of(with_tensor("\"again\": []"), {"/strategies/1/again=gelu,relu"})
            .ends_with("found the string \"gelu,relu\""));
  CHECK(parse(valid_config, {"/strategies/1=tensor", "/strategies/1/again/-=norm"}).strategies[1].label ==
        "tensor again=norm");
}

TEST_CASE("the error for a value that should be a list suggests the list to write") {
  const auto error = [](const std::string& settings) { return errors_of(with_tensor(settings)); };
  CHECK(error(R"("widths": "4,8")") ==
        "small.json:28:34: /strategies/1/widths: expected a list of integers from 1 to 64; found the string \"4,8\": "
        "write [4,8]");
  CHECK(error(R"("widths": 4)") ==
        "small.json:28:34: /strategies/1/widths: expected a list of integers from 1 to 64; found 4: write [4]");
  CHECK(error(R"("widths": "4;8")") ==
        "small.json:28:34: /strategies/1/widths: expected a list of integers from 1 to 64; found the string \"4;8\"");
  CHECK(error(R"("again": "none")") ==
        "small.json:28:33: /strategies/1/again: expected a list of \"gelu\", \"norm\"; found the string \"none\": "
        "write []");
}

TEST_CASE("each element of a list is checked at its position") {
  const auto error = [](const std::string& settings) { return errors_of(with_tensor(settings)); };
  CHECK(error(R"("widths": [4, 65])") ==
        "small.json:28:38: /strategies/1/widths/1: expected an integer from 1 to 64; found 65");
  CHECK(error(R"("again": ["gelu", "gelo"])") ==
        "small.json:28:42: /strategies/1/again/1: unknown value \"gelo\" (did you mean \"gelu\"?)");
  CHECK(error(R"("again": ["gelu", "gelu"])") ==
        "small.json:28:42: /strategies/1/again/1: occurs twice in this list: the string \"gelu\"");
  CHECK(error(R"("again": [""])").find("/strategies/1/again/0: expected one of") != std::string::npos);
}

TEST_CASE("an option may be a choice with options of its own") {
  const StrategyChoice made = tensor_with(R"("codec": {"kind": "top", "share": 0.5})");
  CHECK(made.choice.options.at("codec") == OptionValue(Nested{{"top", {{"share", 0.5}}}}));
  CHECK(made.label == "tensor codec=top(share=0.5)");
  CHECK(tensor_with(R"("codec": "top")").choice.options.at("codec") == OptionValue(Nested{{"top", {{"share", 0.01}}}}));
  CHECK(tensor_with(R"("codec": "none")").label == "tensor");
  const Experiment whole = parse(with_tensor(R"("codec": "top", "again": ["gelu"])"));
  CHECK(parse(whole.resolved).strategies[1].choice == whole.strategies[1].choice);
  CHECK(errors_of(with_tensor(R"("codec": {"kind": "top", "share": 2})")) ==
        "small.json:28:58: /strategies/1/codec/share: expected a number from 0 to 1; found 2");
  CHECK(errors_of(with_tensor(R"("codec": "tpo")")) ==
        "small.json:28:33: /strategies/1/codec: unknown codec \"tpo\" (did you mean \"top\"?)");
}

TEST_CASE("the widths of a model are checked against their limits") {
  const auto told = [](const std::string& hidden) {
    const std::string text = R"({
      "name": "wide",
      "workload": {"model": {"kind": "mlp", "hidden": )" +
                             hidden + R"(}, "dataset": "synthetic", "global_batch": 4},
      "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.1}},
      "devices": {"ranks": 1},
      "strategies": ["single"]
    })";
    try {
      parse_experiment(text, "wide.json", {}, real_registries());
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(told("[512, 256]").empty());
  CHECK(told("[]").empty());
  CHECK(told("[[8], [16, 8]]").empty());  // two models
  CHECK(told("[[8], 16]").find("/workload/model/hidden/1: expected a list of integers from 1 to 1048576; found 16") !=
        std::string::npos);
  for (const char* wrong : {"[0]", "[8, -3]", "[1048577]", "[1.5]", "[99999999999999999999]", "[\"8\"]", "[[8.5]]"}) {
    INFO(wrong);
    CHECK(told(wrong).find("expected an integer from 1 to 1048576") != std::string::npos);
  }
  CHECK(told("\"512,256\"").find("found the string \"512,256\": write [512,256]") != std::string::npos);
}

// Options that once were strings with commas keep their contracts.
TEST_CASE("hashes see a list as its values with commas between them") {
  nlohmann::json value{{"model", {{"kind", "mlp"}, {"hidden", nlohmann::json::array({512, 256})}}},
                       {"again", nlohmann::json::array({"gelu", "layer_norm"})},
                       {"none", nlohmann::json::array()},
                       {"single", 3}};
  lists_to_text(value);
  CHECK(value == nlohmann::json{{"model", {{"kind", "mlp"}, {"hidden", "512,256"}}},
                                {"again", "gelu,layer_norm"},
                                {"none", ""},
                                {"single", 3}});
}
