#include "bench/config/settings.h"

#include "catch.h"
#include "fakes.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using Json = nlohmann::ordered_json;

namespace {

struct Inner {
  bool flag = true;
};

template <class Visitor>
void describe(Visitor& v, Inner& i) {
  v("flag", i.flag, "Help of flag.");
}

struct Outer {
  int count = 3;
  double share = 0.5;
  std::string mode = "slow";
  std::string file;
  std::optional<double> limit;
  std::vector<int> sizes;
  std::vector<std::uint64_t> seeds = {1};
  Choice model;
  Choice codec = {"none", {}};
  Inner inner;
};

struct CodecKind {
  std::string name, help;
  std::vector<Option> options;
};

std::vector<CodecKind> codecs() {
  return {{"none", "As it is.", {}}, {"top", "The largest.", {{"share", 0.01, "Of all."}}}};
}

template <class Visitor>
void describe(Visitor& v, Outer& o) {
  v("count", o.count, Range{1, 9}, "Help of count.");
  v("share", o.share, Range{0, 1, true}, "Help of share.");
  v("mode", o.mode, v.choices({"slow", "fast"}), "Help of mode.");
  v("file", o.file, "Help of file.");
  v("limit", o.limit, Range{0}, "Help of limit.");
  v("sizes", o.sizes, Range{1}, "Help of sizes.");
  v("seeds", o.seeds, "Help of seeds.");
  v("model", o.model, v.one_of("model", [](const auto& all) { return all.models; }), "Help of model.");
  v("codec", o.codec, v.one_of("codec", &codecs), "Help of codec.");
  v("inner", o.inner, "Help of inner.");
}

std::vector<Field> outer_fields() {
  const Registries registries = fake_registries();
  FieldMaker maker(registries);
  Outer defaults;
  describe(maker, defaults);
  return maker.take();
}

const Field& field_of(const std::vector<Field>& fields, const std::string& name) {
  const Field* found = find(fields, name);
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

TEST_CASE("a described member becomes a field of the table") {
  const std::vector<Field> fields = outer_fields();
  CHECK(names(fields) == std::vector<std::string>{"count", "share", "mode", "file", "limit", "sizes", "seeds", "model",
                                                  "codec", "inner"});
  const auto wanted = [&fields](const std::string& name) { return field_of(fields, name).wanted(); };
  CHECK(wanted("count") == "an integer from 1 to 9");
  CHECK(wanted("share") == "a number above 0 and at most 1");
  CHECK(wanted("mode") == "one of \"slow\", \"fast\"");
  CHECK(wanted("file") == "a string that is not empty");
  CHECK(wanted("limit") == "a number of at least 0");
  CHECK(wanted("sizes") == "an integer of at least 1, or a list of them");
  CHECK(wanted("model") == "the name of a model or an object with \"kind\"");
  CHECK(field_of(fields, "count").help == "Help of count.");

  const auto value = [&fields](const std::string& name) { return field_of(fields, name).default_value; };
  CHECK(value("count") == OptionValue(std::int64_t{3}));
  CHECK(value("mode") == OptionValue(std::string("slow")));
  CHECK(value("seeds") == OptionValue(std::int64_t{1}));
  CHECK(value("codec") == OptionValue(std::string("none")));
  for (const char* name : {"file", "limit", "sizes", "model"}) CHECK_FALSE(value(name));
  for (const char* name : {"sizes", "model"}) CHECK(field_of(fields, name).required);
  for (const char* name : {"count", "file", "limit", "seeds", "codec"}) CHECK_FALSE(field_of(fields, name).required);
  CHECK(field_of(field_of(fields, "inner").fields, "flag").default_value == OptionValue(true));
  CHECK(names(field_of(fields, "model").kinds) == std::vector<std::string>{"mlp", "lenet"});
  CHECK(names(field_of(fields, "codec").find_kind("top")->fields) == std::vector<std::string>{"share"});
}

TEST_CASE("a described member is read from resolved JSON") {
  const std::vector<Field> fields = outer_fields();
  const auto read = [&fields](const Json& json) {
    Outer made;
    SettingsReader reader(json, fields);
    describe(reader, made);
    return made;
  };
  const Outer made = read({{"count", 7},
                           {"mode", "fast"},
                           {"limit", 2},
                           {"sizes", {4, 5}},
                           {"seeds", 18446744073709551615ull},
                           {"model", {{"kind", "mlp"}, {"hidden", 8}}},
                           {"codec", {{"kind", "top"}, {"share", 0.5}}},
                           {"inner", {{"flag", false}}}});
  CHECK(made.count == 7);
  CHECK(made.share == 0.5);
  CHECK(made.mode == "fast");
  CHECK(made.file.empty());
  CHECK(made.limit == 2.0);
  CHECK(made.sizes == std::vector<int>{4, 5});
  CHECK(made.seeds == std::vector<std::uint64_t>{18446744073709551615ull});
  CHECK(made.model == Choice{"mlp", {{"hidden", std::int64_t{8}}}});
  CHECK(made.codec == Choice{"top", {{"share", 0.5}}});
  CHECK_FALSE(made.inner.flag);
}
