#include "bench/config/fields.h"
#include "bench/config/schema.h"
#include "catch.h"
#include "config_fixture.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// The valid configuration with "ddp", in line 28, replaced.
std::string with_tensor(const std::string& settings) {
  return with("\"ddp\"", R"({"kind": "tensor", )" + settings + "}");
}

StrategyChoice tensor_with(const std::string& settings) {
  return parse(with_tensor(settings)).strategies[1];
}

}  // namespace

TEST_CASE("an option may be a list") {
  const StrategyChoice made = tensor_with(R"("widths": [4, 4, 8.0], "again": ["norm", "gelu"])");
  CHECK(graph::value_of<graph::Integers>(made.choice.options, "widths") == graph::Integers{4, 4, 8});
  CHECK(graph::value_of<graph::Strings>(made.choice.options, "again") == graph::Strings{"norm", "gelu"});
  CHECK(made.label == "tensor widths=4,4,8 again=norm,gelu");
  CHECK(tensor_with(R"("widths": [])").label == "tensor widths=");
  CHECK(tensor_with(R"("widths": [2], "again": [])").label == "tensor");
}

TEST_CASE("--set takes a list") {
  const Experiment made = parse(with_tensor("\"again\": []"), {"/strategies/1/again=[\"gelu\"]"});
  CHECK(made.strategies[1].label == "tensor again=gelu");
  CHECK(errors_of(with_tensor("\"again\": []"), {"/strategies/1/again=gelu,norm"}) ==
        "--set:1:21: /strategies/1/again: expected a list of \"gelu\", \"norm\"; found the string \"gelu,norm\": "
        "write [\"gelu\",\"norm\"]");
}

TEST_CASE("what is no list is told the list to write") {
  const auto error = [](const std::string& settings) { return errors_of(with_tensor(settings)); };
  CHECK(error(R"("widths": "4,8")") ==
        "small.json:28:33: /strategies/1/widths: expected a list of integers from 1 to 64; found the string \"4,8\": "
        "write [4,8]");
  CHECK(error(R"("widths": 4)") ==
        "small.json:28:33: /strategies/1/widths: expected a list of integers from 1 to 64; found 4: write [4]");
  CHECK(error(R"("widths": "4;8")") ==
        "small.json:28:33: /strategies/1/widths: expected a list of integers from 1 to 64; found the string \"4;8\"");
  CHECK(error(R"("again": "none")") ==
        "small.json:28:32: /strategies/1/again: expected a list of \"gelu\", \"norm\"; found the string \"none\": "
        "write []");
}

TEST_CASE("each value of a list is checked where it stands") {
  const auto error = [](const std::string& settings) { return errors_of(with_tensor(settings)); };
  CHECK(error(R"("widths": [4, 65])") ==
        "small.json:28:37: /strategies/1/widths/1: expected an integer from 1 to 64; found 65");
  CHECK(error(R"("again": ["gelu", "gelo"])") ==
        "small.json:28:41: /strategies/1/again/1: unknown value \"gelo\" (did you mean \"gelu\"?)");
  CHECK(error(R"("again": ["gelu", "gelu"])") ==
        "small.json:28:41: /strategies/1/again/1: stands in this list twice: the string \"gelu\"");
  CHECK(error(R"("again": [""])").find("/strategies/1/again/0: expected one of") != std::string::npos);
}

TEST_CASE("an option may be a choice with options of its own") {
  const StrategyChoice made = tensor_with(R"("codec": {"kind": "top", "share": 0.5})");
  CHECK(made.choice.options.at("codec") == graph::OptionValue(graph::Nested{{"top", {{"share", 0.5}}}}));
  CHECK(made.label == "tensor codec=top(share=0.5)");
  CHECK(tensor_with(R"("codec": "top")").choice.options.at("codec") ==
        graph::OptionValue(graph::Nested{{"top", {{"share", 0.01}}}}));
  CHECK(tensor_with(R"("codec": "none")").label == "tensor");
  const Experiment whole = parse(with_tensor(R"("codec": "top", "again": ["gelu"])"));
  CHECK(parse(whole.resolved).strategies[1].choice == whole.strategies[1].choice);
  CHECK(errors_of(with_tensor(R"("codec": {"kind": "top", "share": 2})")) ==
        "small.json:28:57: /strategies/1/codec/share: expected a number from 0 to 1; found 2");
  CHECK(errors_of(with_tensor(R"("codec": "tpo")")) ==
        "small.json:28:32: /strategies/1/codec: unknown codec \"tpo\" (did you mean \"top\"?)");
}
