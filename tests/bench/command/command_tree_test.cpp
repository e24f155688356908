#include "bench/command/command_tree.h"

#include "base/error.h"
#include "bench/command/completion.h"
#include "bench/command/manual.h"
#include "bench/command/value_words.h"
#include "catch.h"
#include "contains.h"

using namespace ddlbench::bench;
using ddlbench::test::contains;

namespace {

CommandEntry example() {
  static std::string text;
  static std::vector<std::string> many;
  static bool flag = false;
  static int number = 0;
  CLI::App app{"Does it. And more."};
  app.name("tool");
  app.add_option("--config,-c", text, "A file: [it's] one")->type_name("FILE")->required();
  CLI::App* sub = app.add_subcommand("sub", "Does a\\b");
  sub->add_option("--model,-m,MODEL", text, "A model")->type_name("MODEL");
  sub->add_option("--set", many, ".starts with a dot")
      ->type_name("/POINTER=VALUE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sub->add_option("--count", number, "A number")->type_name("N")->check(CLI::Range(1, 9));
  sub->add_flag("--fast", flag, "Quickly");
  sub->add_subcommand("inner", "Lies inside")->add_option("DIR", text, "A folder")->type_name("DIR");
  app.add_subcommand("hidden", "Nobody's")->group("");
  return command_tree(app);
}

}  // namespace

TEST_CASE("a command's options and subcommands are read as --help tells them") {
  const CommandEntry tree = example();
  CHECK(tree.name == "tool");
  REQUIRE(tree.options.size() == 2);  // --help is the other
  CHECK(tree.options[1].names == std::vector<std::string>{"-c", "--config"});
  CHECK(tree.options[1].value == "FILE");
  CHECK(tree.options[1].required);
  REQUIRE(tree.subcommands.size() == 1);
  const auto& options = tree.subcommands[0].options;
  REQUIRE(options.size() == 6);
  CHECK(options[0].value.empty());
  CHECK(options[1].names == std::vector<std::string>{"-m", "--model"});
  CHECK(!options[1].positional);
  CHECK(options[2].names == std::vector<std::string>{"MODEL"});
  CHECK(options[2].positional);
  CHECK(options[3].repeatable);
  CHECK(!options[4].repeatable);
  CHECK(options[4].value == "N");
  CHECK(contains(options[4].limits, "1 - 9"));
  CHECK(options[5].value.empty());
}

TEST_CASE("a manual page has every option, and no text of it is taken for roff") {
  const std::string page = manual_page(example(), {"1.2", "It runs.", {{"0, 1", "all is well"}}});
  CHECK(contains(page, "tool \\- does it\n"));
  CHECK(contains(page, "\\fB\\-c\\fR, \\fB\\-\\-config\\fR \\fIFILE\\fR\nA file: [it's] one. Required.\n"));
  CHECK(contains(page, "\n\\&.starts with a dot.\n"));
  CHECK(contains(page, "Does a\\eb."));
  CHECK(contains(page, ".SS \\fBtool sub\\fR [\\fIOPTIONS\\fR] [\\fIMODEL\\fR] [\\fISUBCOMMAND\\fR]\n"));
  CHECK(contains(page, ".SS \\fBtool sub inner\\fR [\\fIOPTIONS\\fR] [\\fIDIR\\fR]\nLies inside.\n"));
  CHECK(contains(page, "\\fB0, 1\\fR\nall is well.\n"));
  CHECK(!contains(page, "hidden"));
}

TEST_CASE("a subcommand's subcommands are completed, too") {
  const std::string bash = bash_completion(example());
  CHECK(contains(bash, "'' | 'sub inner') subcommand+="));
  CHECK(contains(bash, "'sub') words+=(inner) ;;"));
  CHECK(contains(bash, "'sub inner ') value='DIR' ;;"));
  CHECK(contains(zsh_completion(example()), "if [[ $words[2] == inner ]]"));
}

TEST_CASE("what a shell offers for a value follows from its name in --help") {
  CHECK(words_of_value("FILE").files);
  CHECK(words_of_value("DIR").folders);
  CHECK(words_of_value("bash|zsh").words == std::vector<std::string>{"bash", "zsh"});
  CHECK(words_of_value("N").words.empty());
  const auto offers = [](const std::string& name, const std::string& word) {
    const auto words = words_of_value(name).words;
    return std::count(words.begin(), words.end(), word) == 1;
  };
  CHECK(offers("MODEL", "lenet"));
  CHECK(offers("DEVICE[,DEVICE]", "reference"));
  CHECK(offers("REGEX", "ddp"));
  CHECK(offers("/POINTER=VALUE", "/training/epochs="));
  CHECK(offers("/POINTER=VALUE", "/training/optimizer/learning_rate="));
  CHECK(offers("/POINTER=VALUE", "/strategies="));
  CHECK(!offers("/POINTER=VALUE", "/training="));
  CHECK_THROWS_AS(words_of_value("SOMETHING"), ddlbench::ContractError);
}
