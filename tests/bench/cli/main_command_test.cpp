#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "bench/records/cache_file.h"
#include "bench/records/file.h"
#include "catch.h"
#include "command.h"
#include "contains.h"
#include "environment_variable.h"
#include "temporary_folder.h"

using namespace ddlbench::bench;
using ddlbench::test::contains;

TEST_CASE("usage errors exit with code 2 and a message on standard error") {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"--confg", "x"},
                                             {"nothing"},
                                             {"run"},
                                             {"plan"},
                                             {"--config", mlp, "--dry-run", "--filter", "("},
                                             {"--config", mlp, "--dry-run", "--filter", "nothing-matches-this"},
                                             {"--config", "/nowhere.json"}}) {
    const Result result = command(words);
    INFO((words.empty() ? "" : words.back()) << ": " << result.err);
    CHECK(result.code == exit_code::usage);
    CHECK(result.out.empty());
    CHECK(!result.err.empty());
  }
}

TEST_CASE("help and version go to standard output") {
  CHECK(command({"--help"}).code == 0);
  CHECK(contains(command({"--help"}).out, "--config"));
  CHECK(!contains(command({"--help"}).out, "worker"));
  CHECK(command({"--version"}).code == 0);
  CHECK(command({"--version"}).out.starts_with("ddlbench "));
}

TEST_CASE("control characters from outside never reach the terminal", "[F12]") {
  const std::string hostile = "\x1b[2J\x1b]0;t\x07\r\nall ok \x7f\xc2\x9b\xe2\x80\xae";
  const std::string in_json = R"(\u001b[2J\u0007\r\nall ok \u007f\u009b\u202e)";
  const ddlbench::test::TemporaryFolder folder;
  const std::string model = folder / "model.json", broken = folder / "broken.json", photos = folder / "photos";
  std::ofstream(model) << R"({"name": "m)" + in_json + R"(", "sample": {"shape": [4], "classes": 2},
      "layers": [{"kind": "linear", "name": "l)" +
                              in_json + R"(", "features": 2}]})";
  std::ofstream(broken) << R"({"name": "m", "sample": {"shape": [4], "classes": 2}, "layers": [{"kind": "k)" + in_json +
                               R"("}], "x)" + in_json + "\": 1}";
  for (const char* split : {"/train/a", "/train/b", "/val/a", "/val/b"}) {
    std::filesystem::create_directories(photos + split);
    std::ofstream(photos + split + "/" + "i\x1b[2J\r\n.jpg") << "no image";
  }
  const std::string of_graph = R"(/workload/model={"kind": "graph", "file": ")" + model + "\"}";
  const std::string of_images = R"(/workload/dataset={"kind": "synthetic", "shape": "4", "classes": 2})";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--" + hostile},
           {"--\xff"},
           {hostile},
           {"--config", hostile},
           {"--config", folder / "\x1b[2J\r\nx.json"},
           {"--config", mlp, "--dry-run", "--filter", "(\x1b\r\n"},
           {"--config", mlp, "--dry-run", "--filter", "\x1b\r\n"},
           {"--config", mlp, "--set", hostile},
           {"--config", mlp, "--set", "/\x1b[2J\r\n=1"},
           {"--config", mlp, "--set", "/name=\x1b[2J\r\nx"},
           {"--config", mlp, "--set", "/strategies/0=\x1b[2J\r\n"},
           {"--config", mlp, "--output", folder / "model.json/\x1b[2J\r\n", "--filter", "single"},
           {"trace", "--config", mlp, "--set",
            R"(/workload/dataset={"kind": "image-folder", "size": 16, "path": ")" + photos + "\"}", "--set",
            "/workload/global_batch=1", "--set", "/devices/kind=reference", "--steps", "1", "--output",
            folder / "trace"},
           {"describe", hostile},
           {"describe", model},
           {"describe", broken},
           {"describe", "mlp", "--option", hostile},
           {"env", "--forget", hostile},
           {"layers", model, "--batch", "2", "--threads", "1"},
           {"layers", "--device", hostile, "lenet"},
           {"plan", "--show-program", "--timeline", "--config", mlp, "--set", of_graph, "--set", of_images, "--filter",
            "ddp-r2-b64"}}) {
    const Result result = command(words);
    INFO(words.front() << ": " << result.out << result.err);
    const auto steers = [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == '\x7f'; };
    const std::string all = result.out + result.err;
    CHECK(!all.empty());
    CHECK(std::none_of(all.begin(), all.end(), steers));
    CHECK(!contains(all, "\xc2\x9b"));
    CHECK(!contains(all, "\xe2\x80\xae"));
    CHECK(!contains(all, "\nall ok"));
    CHECK((contains(all, "\\x1b") || contains(all, "\\xff") || contains(all, "\\u001b")));
  }
}

TEST_CASE("a filter of any form ends at once, and a model that is too large is rejected", "[F13]") {
  const auto rejected = [](const std::vector<std::string>& words) {
    const Result result = command(words);
    CHECK(result.code == exit_code::usage);
    return result.err;
  };
  CHECK(
      contains(rejected({"--config", mlp, "--dry-run", "--filter", std::string(50000, '(') + std::string(50000, ')')}),
               "--filter: has 100000 characters, more than the 1000"));
  CHECK(contains(rejected({"--config", mlp, "--dry-run", "--filter", "((.|..|...)+)+x"}), "matches none of the"));
  std::string hidden = "1";
  for (int i = 1; i < 200000; ++i) hidden += ",1";
  CHECK(contains(rejected({"validate", "--config", mlp, "--set",
                           "/workload/model={\"kind\": \"mlp\", \"hidden\": [" + hidden + "]}"}),
                 "has 200000 values, more than the 10000 that a list may have"));
}

TEST_CASE("a dry run lists the cases and runs none") {
  const Result result = command({"--config", mlp, "--dry-run"});
  INFO(result.err);
  CHECK(result.code == 0);
  for (const char* id : {"001-single-r1-b64", "003-ddp-r1-b64", "006-ddp-r2-b256", "010-tensor-r2-b256"})
    CHECK(contains(result.out, id));
  const Result filtered = command({"--config", mlp, "--dry-run", "--filter", "ddp-r2-b256"});
  CHECK(contains(filtered.out, "006-ddp-r2-b256"));
  CHECK(!contains(filtered.out, "-b64"));
  const Result chosen =
      command({"run", "--config", mlp, "--dry-run", "--filter", "ddp-r2", "--set", "/workload/global_batch=128"});
  CHECK(chosen.code == 0);
  CHECK(contains(chosen.out, "003-ddp-r2"));
  CHECK(contains(chosen.out, "128"));
  CHECK(!contains(chosen.out, "single"));
}

TEST_CASE("a dry run says which cases are unsupported, and why") {
  const Result result = command({"--config", mlp, "--dry-run", "--set", "/strategies/-=gpipe", "--set",
                                 "/devices/ranks=[1, 64]", "--set", "/workload/global_batch=64"});
  INFO(result.err);
  CHECK(result.code == 0);
  CHECK(contains(result.out, "unsupported: "));
}

TEST_CASE("a strategy that can run nowhere is an error with its reason") {
  const Result result =
      command({"validate", "--config", mlp, "--set", "/strategies=[{\"kind\": \"gpipe\", \"ranks\": 64}]"});
  CHECK(result.code == exit_code::usage);
  CHECK(result.err.starts_with("--set '/strategies=["));
  CHECK(contains(result.err, ": /strategies/0: gpipe cannot run at any requested number of ranks: at 64 ranks: "));
}

TEST_CASE("every mistake in a configuration is reported, and nothing else") {
  const Result result = command({"--config", mlp, "--set", "/training/epochs=0", "--set", "/strategies/0=singel"});
  CHECK(result.code == exit_code::usage);
  CHECK(result.out.empty());
  CHECK(result.err ==
        "--set /training/epochs=0: expected an integer from 1 to 100000; found 0\n"
        "--set /strategies/0=singel: unknown strategy \"singel\" (did you mean \"single\"?)\n");
}

TEST_CASE("missing data exit with code 2 before anything runs") {
  const Result result =
      command({"validate", "--config", mlp, "--set", "/workload/dataset={\"kind\":\"idx\",\"path\":\"/nowhere\"}"});
  CHECK(result.code == exit_code::usage);
  CHECK(contains(result.err, "/nowhere"));
}

TEST_CASE("validate counts the cases") {
  const Result result = command({"validate", "--config", mlp});
  CHECK(result.code == 0);
  CHECK(result.out == mlp + ": valid: 10 cases of 3 strategies\n");
}

TEST_CASE("models with every form of layer are valid under a tensor axis", "[N2]") {
  const std::string first = R"({"kind": "conv2d", "name": "a", "channels": 8, "kernel": 3, "activation": "relu"})";
  const std::string last = R"({"kind": "linear", "name": "fc", "features": "$classes"})";
  const ddlbench::test::TemporaryFolder folder;
  const std::string file = folder / "m.model.json", experiment = folder / "m.json";
  for (const std::string layers :
       {R"({"kind": "conv2d", "name": "b", "channels": 8, "kernel": 3, "groups": 2}, {"kind": "flatten"})",
        R"({"kind": "conv2d", "name": "b", "channels": 8, "kernel": 3, "bias": false, "activation": "relu"},
           {"kind": "flatten"})",
        R"({"kind": "flatten"},
           {"kind": "linear", "name": "b", "features": 16, "bias": false, "activation": "relu"})"}) {
    std::ofstream(file) << R"({"name": "m", "sample": {"shape": [1, 12, 12], "classes": 10}, "layers": [)" << first
                        << ", " << layers << ", " << last << "]}";
    std::ofstream(experiment) << R"({"name": "m", "workload": {"model": {"kind": "graph", "file": ")" << file << R"("},
        "dataset": {"kind": "synthetic", "shape": "1x12x12", "train_samples": 48, "validation_samples": 12},
        "global_batch": 12}, "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.01}},
        "devices": {"ranks": [2, 3, 4]}, "strategies": ["single", "ddp", "tensor",
          {"kind": "hybrid", "mesh": {"data": 2, "tensor": 2}, "microbatches": 1},
          {"kind": "hybrid", "mesh": {"tensor": 2, "pipeline": 2}, "microbatches": 2}]})";
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"validate"}, {"run", "--dry-run"}, {"run", "--dry-run", "--filter", "single"}, {"plan", "--static"}}) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"--config", experiment});
      const Result result = command(all);
      INFO(layers << " " << words.front() << ": " << result.err);
      CHECK(result.code == 0);
      CHECK(!contains(result.out + result.err, "unsupported"));
    }
  }
}

TEST_CASE("describe shows a model's layers and its exact number of parameters") {
  const Result vgg = command({"describe", "vgg16"});
  INFO(vgg.err);
  CHECK(vgg.code == 0);
  CHECK(contains(vgg.out, "\nparameters: 138357544\n"));
  CHECK(contains(vgg.out, "samples f32[3x224x224], 1000 classes, batch 1"));
  CHECK(contains(command({"describe", "gpt2-medium"}).out, "\nparameters: 354823168\n"));
  const Result lenet = command({"describe", "lenet", "--input", "3x32x32", "--classes", "7", "--batch", "8"});
  CHECK(contains(lenet.out, "f32[8x7]"));
  const Result mlp_of_config = command({"describe", "--config", mlp});
  CHECK(mlp_of_config.code == 0);
  CHECK(contains(mlp_of_config.out, "mlp: "));
  const Result file = command({"describe", config("models/resnet56.json")});
  CHECK(contains(file.out, "\nparameters: 855770\n"));
  CHECK(contains(command({"describe", "mlp", "--option", "hidden=3"}).out, "f32[1x3]"));
}

TEST_CASE("describe writes its table as CSV, with FLOPs and bytes as numbers") {
  const ddlbench::test::TemporaryFolder folder;
  const std::string file = folder / "layers.csv";
  CHECK(command({"describe", "lenet", "--batch", "2", "--csv", file}).code == 0);
  const std::string csv = read_file(file);
  CHECK(
      csv.starts_with("layer,op,attributes,output,parameters,forward_flops,backward_input_flops,"
                      "backward_weight_flops,output_bytes,kept_bytes\r\n"));
  // 6 kernels of 5x5 over 24x24 positions of 2 samples: 2·6·25·576·2 = 345,600; the images' gradient is not computed.
  CHECK(contains(csv, ",f32[2x6x24x24],156,345600,"));
}

TEST_CASE("describe reports what is wrong with its arguments") {
  const auto rejected = [](const std::vector<std::string>& words) {
    const Result result = command(words);
    CHECK(result.code == exit_code::usage);
    return result.err;
  };
  CHECK(contains(rejected({"describe"}), "no model given"));
  CHECK(contains(rejected({"describe", "lenett"}), "did you mean 'lenet'?"));
  CHECK(contains(rejected({"describe", "/nowhere.json"}), "cannot be opened"));
  CHECK(contains(rejected({"describe", "lenet", "--input", "1x28x"}), "--input 1x28x: expected the sizes"));
  CHECK(contains(rejected({"describe", "lenet", "--input", "1x8x8"}), "at least 16x16"));
  CHECK(contains(rejected({"describe", "mlp", "--option", "hiden=3"}), "did you mean \"hidden\"?"));
  CHECK(contains(rejected({"describe", "vgg16", "--option", "dropout=2"}),
                 "--option dropout: expected a number from 0 to "));
  CHECK(contains(rejected({"describe", "vgg16", "--option", "dropout=x"}), "expected a number"));
  CHECK(contains(rejected({"describe", "tiny-gpt", "--option", "fused_head=yes"}),
                 "--option fused_head: expected true or false; found \"yes\""));
  CHECK(contains(rejected({"describe", "tiny-gpt", "--option", "fused_head"}),
                 "--option fused_head: expected NAME=VALUE"));
}

TEST_CASE("env --forget removes what is cached of one kind") {
  const ddlbench::test::TemporaryFolder folder;
  const ddlbench::test::EnvironmentVariable cache("XDG_CACHE_HOME", folder.path());
  const ddlbench::test::EnvironmentVariable kept("DDLBENCH_NO_CACHE", std::nullopt);
  REQUIRE(CacheFile(cache_folder(), "choices", "here").add({{"a", 1}}));
  REQUIRE(CacheFile(cache_folder(), "profile", "here").add({{"b", 2}}));
  CHECK(contains(command({"env", "--forget", "choice"}).err, "did you mean \"choices\"?"));
  CHECK(command({"env", "--forget", "choices"}).out ==
        "forgot the choices of " + cache_folder() + ": 1 file; they will be timed again when needed\n");
  CHECK(command({"env", "--forget", "choices"}).code == exit_code::usage);
  CHECK(CacheFile(cache_folder(), "profile", "here").load() == nlohmann::json{{"b", 2}});
}

TEST_CASE("list, env and schema describe this build") {
  const Result list = command({"list"});
  CHECK(list.code == 0);
  for (const char* name : {"single", "ddp", "tensor", "gpipe", "hybrid", "lenet", "mlp", "idx", "synthetic", "threads",
                           "reference", "cpu", "adam"}) {
    INFO(name);
    CHECK(contains(list.out, std::string("  ") + name + ": "));
  }
  const Result env = command({"env"});
  CHECK(env.code == 0);
  for (const char* key :
       {"cpu ", "usable_cores ", "memory_bytes ", "build.compiler ", "libraries.oneDNN ", "build.git_commit "}) {
    INFO(key);
    CHECK(contains(env.out, key));
  }
  CHECK(command({"schema"}).out.starts_with("{\n"));
  CHECK(contains(command({"schema", "--markdown"}).out, "| `/name` |"));
  CHECK(contains(command({"schema", "--columns"}).out, "\n### Columns of ranks.csv\n"));
}
