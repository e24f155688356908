#include "catch.h"
#include "config_fixture.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("every setting of a valid configuration is read") {
  const Experiment experiment = parse(valid_config);
  CHECK(experiment.name == "small");
  CHECK(experiment.workload.model.kind == "lenet");
  CHECK(std::get<std::string>(experiment.workload.dataset.options.at("path")) == "/data/images");
  CHECK(std::get<std::int64_t>(experiment.workload.dataset.options.at("limit")) == 0);
  CHECK(experiment.workload.global_batch == std::vector<std::int64_t>{64});
  CHECK(experiment.training.epochs == 2);
  CHECK(experiment.training.seed == std::vector<std::uint64_t>{7});
  CHECK(experiment.training.optimizer.kind == "sgd");
  CHECK(experiment.training.learning_rate() == 0.05);
  CHECK(value_of<double>(experiment.training.optimizer.options, "momentum") == 0.9);
  CHECK(experiment.devices.ranks == std::vector<int>{1, 2, 4});
  REQUIRE(experiment.strategies.size() == 4);
  CHECK(experiment.strategies[1].label == "ddp");
  CHECK(experiment.strategies[2].label == "gpipe microbatches=8 balance=memory");
  CHECK(experiment.strategies[3].label == "hybrid mesh=data2xpipeline2");
  CHECK(experiment.strategies[3].expect == "out_of_memory");
  CHECK(experiment.strategies[0].expect == "ok");
  CHECK(experiment.measure.steps == 10);
  CHECK(experiment.measure.repetitions == 3);
  CHECK(experiment.measure.timeout_seconds == 30.5);
}

TEST_CASE("a resolved configuration reads back as the same experiment") {
  const Experiment experiment = parse(valid_config, {"/training/seed=[3, 4]", "/strategies/1/ranks=[2]"});
  const Experiment again = parse(experiment.resolved);
  CHECK(again.resolved == experiment.resolved);
  CHECK(again.training.seed == std::vector<std::uint64_t>{3, 4});
  CHECK(again.strategies[1].ranks == std::vector<int>{2});
}

TEST_CASE("each mistake has its own message") {
  const auto error = [](const std::string& from, const std::string& to) { return errors_of(with(from, to)); };
  // Keys.
  CHECK(error("\"epochs\"", "\"epoch\"") ==
        "small.json:12:5: /training/epoch: unknown key \"epoch\" (did you mean \"epochs\"?)");
  CHECK(
      error("\"steps\": 10", "\"colour\": 10") ==
      "small.json:33:5: /measure/colour: unknown key \"colour\" (known: warmup_steps, steps, repetitions, "
      "interleave, visit_seconds, time_slices, precision, max_seconds, verify_steps, predict, train, timeout_seconds, "
      "case_seconds)");
  CHECK(error("\"momentum\"", "\"beta1\"") ==
        "small.json:18:7: /training/optimizer/beta1: unknown key \"beta1\" (known: learning_rate, momentum, "
        "nesterov, weight_decay, exempt_vectors)");
  CHECK(error("\"lenet\"", "{\"kind\": \"lenet\", \"depth\": 3}") ==
        "small.json:4:32: /workload/model/depth: unknown key \"depth\" (it has no settings)");
  CHECK(error("\"seed\": 7", "\"epochs\": 7") ==
        "small.json:13:5: /training/epochs: the key \"epochs\" occurs twice in this object, first in line 12");
  CHECK(error("\"kind\": \"gpipe\"", "\"knid\": \"gpipe\"") ==
        "small.json:29:7: /strategies/2/knid: unknown key \"knid\" (did you mean \"kind\"?)");
  // Missing settings.
  CHECK(error("\"name\": \"small\",", "") ==
        "small.json:1:1: /name: missing: expected a string of letters, digits, \".\", \"_\" and \"-\" that begins with "
        "a letter or digit");
  CHECK(error("\"learning_rate\": 0.05,", "") ==
        "small.json:15:18: /training/optimizer/learning_rate: missing: expected a number above 0");
  CHECK(error("\"kind\": \"idx\",", "") ==
        "small.json:5:16: /workload/dataset/kind: missing: expected the name of a data set");
  // Types.
  CHECK(error("\"epochs\": 2", "\"epochs\": \"2\"") ==
        "small.json:12:15: /training/epochs: expected an integer from 1 to 100000; found the string \"2\"");
  CHECK(error("\"epochs\": 2", "\"epochs\": 2.5") ==
        "small.json:12:15: /training/epochs: expected an integer from 1 to 100000; found 2.5");
  CHECK(error("\"epochs\": 2", "\"epochs\": [2]") ==
        "small.json:12:15: /training/epochs: expected an integer from 1 to 100000; found a list");
  CHECK(error("0.05", "null") ==
        "small.json:17:24: /training/optimizer/learning_rate: expected a number above 0; found null");
  CHECK(error("\"/data/images\"", "true") == "small.json:7:15: /workload/dataset/path: expected a string; found true");
  CHECK(error("\"lenet\"", "5") ==
        "small.json:4:14: /workload/model: expected the name of a model or an object with \"kind\"; found 5");
  CHECK(error("\"kind\": \"idx\"", "\"kind\": {}") ==
        "small.json:6:15: /workload/dataset/kind: expected the name of a data set; found an object");
  CHECK(error("64", "{}") ==
        "small.json:9:21: /workload/global_batch: expected an integer from 1 to 16777216, or a list of them; found an "
        "object");
  CHECK(error("[1, 2, 4]", "[]") ==
        "small.json:24:14: /devices/ranks: expected an integer from 1 to 4096, or a list of them; found an empty list");
  CHECK(error("\"ddp\"", "{\"kind\": \"ddp\", \"overlap\": 1}") ==
        "small.json:28:32: /strategies/1/overlap: expected true or false; found 1");
  CHECK(error("{ \"data\": 2, \"pipeline\": 2 }", "4") ==
        "small.json:30:33: /strategies/3/mesh: expected an object of mesh axes and their sizes, such as {\"data\": 2}; "
        "found 4");
  // Ranges.
  CHECK(error("\"momentum\": 0.9", "\"momentum\": 1") ==
        "small.json:18:19: /training/optimizer/momentum: expected a number from 0 to 0.999999; found 1");
  CHECK(error("[1, 2, 4]", "[1, 0]") ==
        "small.json:24:18: /devices/ranks/1: expected an integer from 1 to 4096; found 0");
  CHECK(error("\"data\": 2", "\"data\": 0") ==
        "small.json:30:43: /strategies/3/mesh/data: expected an integer from 1 to 4096; found 0");
  CHECK(error("\"small\"", "\"../small\"") ==
        "small.json:2:11: /name: expected a string of letters, digits, \".\", \"_\" and \"-\" that begins with a "
        "letter or digit; found the "
        "string \"../small\"");
  CHECK(error("\"seed\": 7", "\"seed\": 18446744073709551615") ==
        "small.json:13:13: /training/seed: expected an integer from 0 to 9007199254740991, or a list of them; found "
        "18446744073709551615");
  CHECK(error("\"microbatches\": 8", "\"microbatches\": 1e300") ==
        "small.json:29:40: /strategies/2/microbatches: expected an integer of at least 1; found 1e300");
  // Choices.
  CHECK(error("\"lenet\"", "\"lennet\"") ==
        "small.json:4:14: /workload/model: unknown model \"lennet\" (did you mean \"lenet\"?)");
  CHECK(error("\"gpipe\"", "\"gpip\"") ==
        "small.json:29:15: /strategies/2/kind: unknown strategy \"gpip\" (did you mean \"gpipe\"?)");
  CHECK(error("\"cpu\"", "\"tpu-v4\"") ==
        "small.json:22:13: /devices/kind: unknown value \"tpu-v4\" (available: reference, cpu, auto)");
  CHECK(error("\"pipeline\": 2", "\"pipelin\": 2") ==
        "small.json:30:46: /strategies/3/mesh/pipelin: unknown mesh axis \"pipelin\" (did you mean \"pipeline\"?)");
  // Lists.
  CHECK(error("[1, 2, 4]", "[1, 2, 1]") == "small.json:24:21: /devices/ranks/2: occurs twice in this list: 1");
  CHECK(error("\"ddp\"", "\"single\"") == "small.json:28:5: /strategies/1: the same as /strategies/0: single");
}

TEST_CASE("a number is an integer by its text, and a text must not contain U+0000", "[F14]") {
  const auto epochs = [](const std::string& number) {
    return errors_of(with("\"epochs\": 2", "\"epochs\": " + number));
  };
  const auto refused = [](const std::string& number) {
    return "small.json:12:15: /training/epochs: expected an integer from 1 to 100000; found " + number;
  };
  CHECK(epochs("2.0").empty());
  CHECK(epochs("0.2e1").empty());
  CHECK(epochs("2.00000000000000000001") == refused("2.00000000000000000001"));
  CHECK(errors_of(with("\"seed\": 7", "\"seed\": 0.0")).empty());
  CHECK(errors_of(with("\"seed\": 7", "\"seed\": -0.0")) ==
        "small.json:13:13: /training/seed: expected an integer from 0 to 9007199254740991, or a list of them; found "
        "-0.0");
  CHECK(errors_of(with("\"seed\": 7", "\"seed\": 1e-400"))
            .starts_with("small.json:13:13: /training/seed: the number is too small"));
  CHECK(errors_of(with("/data/images", "/data\\u0000/images")) ==
        "small.json:7:15: /workload/dataset/path: contains the character U+0000, at which the system would cut the "
        "text off");
}

TEST_CASE("a number of ranks that a strategy cannot have is an error") {
  CHECK(errors_of(with("\"single\"", "{\"kind\": \"single\", \"ranks\": [1, 2]}")) ==
        "small.json:27:33: /strategies/0/ranks: \"single\" runs on one rank, but \"ranks\" says 1, 2: leave \"ranks\" "
        "out");
  CHECK(errors_of(with("\"expect\": \"out_of_memory\"", "\"ranks\": 8")) ==
        "small.json:30:72: /strategies/3/ranks: the mesh has 4 ranks, but \"ranks\" says 8: leave \"ranks\" out");
  CHECK(errors_of(with("\"expect\": \"out_of_memory\"", "\"ranks\": 4")).empty());
}

TEST_CASE("all mistakes are reported at once, in the order of their positions") {
  const std::string text = R"({
  "nme": "x",
  "workload": { "model": "lenet", "dataset": "idx", "global_batch": 0 },
  "training": { "epochs": "2", "optimizer": "sgd" },
  "devices": { "ranks": [1, 1] },
  "strategies": ["dp", 3, { "kind": "gpipe", "microbatches": -1 }]
}
)";
  CHECK(errors_of(text) ==
        "small.json:2:3: /nme: unknown key \"nme\" (did you mean \"name\"?)\n"
        "small.json:3:69: /workload/global_batch: expected an integer from 1 to 16777216, or a list of them; found 0\n"
        "small.json:4:27: /training/epochs: expected an integer from 1 to 100000; found the string \"2\"\n"
        "small.json:4:45: /training/optimizer/learning_rate: missing: expected a number above 0\n"
        "small.json:5:29: /devices/ranks/1: occurs twice in this list: 1\n"
        "small.json:6:18: /strategies/0: unknown strategy \"dp\" (did you mean \"ddp\"?)\n"
        "small.json:6:24: /strategies/1: expected the name of a strategy or an object with \"kind\"; found 3\n"
        "small.json:6:62: /strategies/2/microbatches: expected an integer of at least 1; found -1");
}

TEST_CASE("an empty object lacks every required setting") {
  const std::string errors = errors_of("{}");
  for (const char* pointer : {"/name", "/workload/model", "/workload/dataset", "/workload/global_batch",
                              "/training/optimizer", "/devices/ranks", "/strategies"}) {
    CHECK(errors.find("small.json:1:1: " + std::string(pointer) + ": missing: ") != std::string::npos);
  }
  CHECK(errors_of("[1]") == "small.json:1:1: expected an object; found a list");
}

TEST_CASE("a missing file is named in the error") {
  try {
    load_experiment("/nowhere/at-all.json", {}, fake_registries());
    FAIL("no error");
  } catch (const ddlbench::InputError& error) {
    CHECK(std::string(error.what()) == "/nowhere/at-all.json: cannot be opened: No such file or directory");
  }
}

TEST_CASE("a text or list that is too long, and too many rules, are errors", "[F13]") {
  CHECK(errors_of(with("/data/images", std::string(4096, 'x'))).empty());
  CHECK(errors_of(with("/data/images", std::string(4097, 'x'))) ==
        "small.json:7:15: /workload/dataset/path: is longer than the 4096 bytes that a text may have");
  std::string numbers = "1", rules = R"({"ranks": 1})";
  for (int i = 0; i < 10000; ++i) numbers += ", 1";
  CHECK(errors_of(with("\"epochs\"", R"("schedule": {"kind": "step", "milestones": [)" + numbers + "]}, \"epochs\"")) ==
        "small.json:12:48: /training/schedule/milestones: has 10001 values, more than the 10000 that a list may have");
  for (int i = 0; i < 1000; ++i) rules += R"(, {"ranks": 1})";
  CHECK(errors_of(with("\"measure\"", "\"sweep\": {\"exclude\": [" + rules + "]}, \"measure\"")) ==
        "small.json:32:24: /sweep/exclude: has 1001 rules, more than the 1000 that it may have");
}
