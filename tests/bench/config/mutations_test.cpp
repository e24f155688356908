#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "catch.h"
#include "config_fixture.h"
#include "json/pointer.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using Json = nlohmann::ordered_json;

namespace {

const std::string mark = "@@mutant@@";

struct MutatedText {
  std::string text;
  std::string pointer;
  int line = 0;
};

int line_of(const std::string& text, std::size_t offset) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

/// Replaces `marked_text`, which occurs once in the document, by `by`. The mutant's line is the line of the mistake.
MutatedText marked(const Json& document, const std::string& marked_text, const std::string& by, std::string pointer) {
  MutatedText mutant{document.dump(2), std::move(pointer), 0};
  const auto at = mutant.text.find(marked_text);
  REQUIRE(at != std::string::npos);
  mutant.line = line_of(mutant.text, at);
  mutant.text.replace(at, marked_text.size(), by);
  return mutant;
}

MutatedText with_value(Json document, const std::string& pointer, const std::string& value) {
  document[Json::json_pointer(pointer)] = mark;
  return marked(document, "\"" + mark + "\"", value, pointer);
}

/// What changed() does to the member `key`: rename it, remove it, or insert another one behind it.
enum class Change { rename, remove, follow };

Json changed(const Json& object, const std::string& key, Change change) {
  Json result = Json::object();
  if (change == Change::remove) result[mark] = 0;
  for (const auto& [name, value] : object.items()) {
    if (name != key || change == Change::follow) result[name] = value;
    if (name == key && change != Change::remove) result[mark] = value;
  }
  return result;
}

struct Member {
  std::string parent, key;
};

void collect(const Json& value, const std::string& pointer, std::vector<Member>& members,
             std::vector<std::string>& scalars) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      members.push_back({pointer, key});
      collect(inner, json::child(pointer, key), members, scalars);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], json::child(pointer, i), members, scalars);
  } else {
    scalars.push_back(pointer);
  }
}

class Mutator {
 public:
  Mutator(Json document, unsigned seed) : document_(std::move(document)), random_(seed) {
    collect(document_, "", members_, scalars_);
  }

  MutatedText rename() {
    const Member& member = pick(members_);
    std::string name = member.key;
    if (const auto at = static_cast<std::size_t>(below(name.size() - 1)); name[at] != name[at + 1])
      std::swap(name[at], name[at + 1]);
    else
      name += "x";
    return changed_member(member, Change::rename, name);
  }

  MutatedText repeat() {
    const Member& member = pick(members_);
    return changed_member(member, Change::follow, member.key);
  }

  MutatedText remove_required() {
    const Member member = pick(std::vector<Member>{{"", "name"},
                                                   {"", "strategies"},
                                                   {"/workload", "model"},
                                                   {"/workload", "dataset"},
                                                   {"/workload", "global_batch"},
                                                   {"/workload/dataset", "kind"},
                                                   {"/training", "optimizer"},
                                                   {"/training/optimizer", "kind"},
                                                   {"/training/optimizer", "learning_rate"},
                                                   {"/devices", "ranks"},
                                                   {"/strategies/2", "kind"},
                                                   {"/strategies/3", "kind"}});
    Json document = document_;
    Json& parent = document[Json::json_pointer(member.parent)];
    parent = changed(parent, member.key, Change::remove);
    MutatedText mutant = marked(document, "\"" + mark + "\": 0,", "", json::child(member.parent, member.key));
    --mutant.line;  // the mark is the first member of the object, which begins one line above
    return mutant;
  }

  MutatedText wrong_type() {
    const std::string& pointer = pick(scalars_);
    const Json& value = document_[Json::json_pointer(pointer)];
    std::vector<std::string> wrong{"null", "false", "{\"a\": 1}"};
    const bool is_choice = pointer == "/workload/model" || pointer == "/strategies/0" || pointer == "/strategies/1";
    if (is_choice) wrong.pop_back();
    wrong.push_back(value.is_string() ? "12" : "\"text\"");
    return with_value(document_, pointer, pick(wrong));
  }

  MutatedText out_of_range() {
    static const std::vector<std::pair<std::string, std::vector<std::string>>> ranges = {
        {"/name", {"\"\"", "\"a b\"", "\".hidden\""}},
        {"/workload/global_batch", {"0", "-64", "16777217", "1e300", "[]"}},
        {"/training/epochs", {"0", "-1", "100001", "1.5"}},
        {"/training/seed", {"-1", "1e19", "0.1"}},
        {"/training/optimizer/learning_rate", {"0", "-0.1"}},
        {"/training/optimizer/momentum", {"1", "-0.1", "7"}},
        {"/devices/ranks/1", {"0", "-2", "4097", "2.5"}},
        {"/strategies/2/microbatches", {"0", "-1", "0.5"}},
        {"/strategies/3/mesh/data", {"0", "-1", "4097"}},
        {"/measure/steps", {"0", "1000001"}},
        {"/measure/timeout_seconds", {"0", "-1", "86401"}}};
    const auto& [pointer, values] = pick(ranges);
    return with_value(document_, pointer, pick(values));
  }

  MutatedText unknown_choice() {
    const auto& pointer = pick(std::vector<std::string>{
        "/workload/model", "/workload/dataset/kind", "/training/precision", "/training/optimizer/kind", "/devices/kind",
        "/devices/transport", "/strategies/0", "/strategies/2/kind", "/strategies/2/balance", "/strategies/3/kind",
        "/strategies/3/expect"});
    const std::string right = document_[Json::json_pointer(pointer)].get<std::string>();
    return with_value(
        document_, pointer,
        pick(std::vector<std::string>{"\"" + right + "s\"", "\"\"", "\"" + right.substr(1) + "\"", "\"Größe\""}));
  }

  MutatedText any() {
    switch (below(6)) {
      case 0:
        return rename();
      case 1:
        return repeat();
      case 2:
        return remove_required();
      case 3:
        return wrong_type();
      case 4:
        return out_of_range();
      default:
        return unknown_choice();
    }
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }

  template <class T>
  T pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

  MutatedText changed_member(const Member& member, Change change, const std::string& name) {
    Json document = document_;
    Json& parent = document[Json::json_pointer(member.parent)];
    parent = changed(parent, member.key, change);
    return marked(document, "\"" + mark + "\"", Json(name).dump(), json::child(member.parent, name));
  }

  Json document_;
  std::mt19937 random_;
  std::vector<Member> members_;
  std::vector<std::string> scalars_;
};

}  // namespace

TEST_CASE("each of 100 mutated configurations gives one problem, with its pointer and line") {
  Json swept = Json::parse(valid_config);
  swept["workload"]["model"] = "mlp";
  swept["training"]["optimizer"] =
      Json{{"kind", "sgd"}, {"learning_rate", 0.1}, {"momentum", 0.5}, {"weight_decay", 0.001}};
  swept["strategies"][2]["ranks"] = Json{2, 4};
  const std::vector<Json> documents{Json::parse(valid_config), swept};
  REQUIRE(errors_of(documents[1].dump(2)).empty());
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Mutator mutator(documents[seed % documents.size()], seed);
    const MutatedText mutant = mutator.any();
    INFO("seed " << seed << "\n" << mutant.text);
    std::vector<json::Problem> problems;
    try {
      parse(mutant.text);
    } catch (const ConfigError& error) {
      problems = error.problems();
      INFO(error.what());
    }
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].pointer == mutant.pointer);
    CHECK(problems[0].at.line == mutant.line);
  }
}
