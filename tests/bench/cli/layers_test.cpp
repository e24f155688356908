#include <regex>
#include <sstream>

#include "bench/command/main_command.h"
#include "bench/records/file.h"
#include "catch.h"
#include "kernels/device.h"
#include "temporary_folder.h"

using namespace ddlbench::bench;

namespace {

struct LayersResult {
  int code = 0;
  std::string out, err;
};

LayersResult layers(std::vector<std::string> words) {
  words.insert(words.begin(), {"ddlbench", "layers"});
  std::vector<const char*> argv;
  for (const auto& word : words) argv.push_back(word.c_str());
  std::ostringstream out, err;
  const int code = main_command(static_cast<int>(argv.size()), argv.data(), out, err);
  return {code, out.str(), err.str()};
}

/// Replaces figures that depend on machine and time by "#", and several blanks by one.
std::string masked(const std::string& text) {
  std::string lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.find(", on ") != std::string::npos) line = line.substr(0, line.find(", on "));
    line = std::regex_replace(line, std::regex("(^| )[0-9.]+( [KMG]?i?B| %)?(?= |$)"), "$1#$2");
    line = std::regex_replace(line, std::regex("[0-9]+x[0-9]+$"), "#x#");
    line = std::regex_replace(line, std::regex("  +"), " ");
    lines += std::regex_replace(line, std::regex("( # [KM]?i?B)+$"), " # bytes") + '\n';
  }
  return lines;
}

}  // namespace

TEST_CASE("layers prints the table of a model") {
  const LayersResult result = layers({"--model", "mlp", "--batch", "2", "--option", "hidden=8,4", "--input", "1x3x3",
                                      "--classes", "5", "--threads", "1"});
  INFO(result.err);
  REQUIRE(result.code == exit_code::ok);
  CHECK(
      masked(result.out) ==
      "mlp, batch 2, samples f32[1x3x3], fp32\n\n"
      "layer op output forward ms backward-input ms backward-weight ms sum ms GFLOP/s of peak output bytes workspace\n"
      "flatten flatten f32[2x9]\n"
      "fc1 linear f32[2x8] # # # # # # % # bytes\n"
      "fc2 linear f32[2x4] # # # # # # % # bytes\n"
      "fc3 linear f32[2x5] # # # # # # % # bytes\n"
      "loss cross_entropy f32[1] # # # # # % # bytes\n"
      "total # # # # # # % # bytes\n"
      "\n"
      "peak: # GFLOP/s, from the fastest product of two matrices of f32, #x#\n");
  CHECK(result.err.starts_with("timing flatten\ntiming fc1\ntiming fc2\ntiming fc3\ntiming loss\nkernels: "));
}

TEST_CASE("layers writes the same table as CSV, and only the forward pass on request") {
  const ddlbench::test::TemporaryFolder folder;
  const auto path = folder / "layers.csv";
  const LayersResult result = layers({"lenet", "--forward-only", "--csv", path, "--quiet", "--threads", "1"});
  INFO(result.err);
  REQUIRE(result.code == exit_code::ok);
  CHECK(result.err.empty());
  CHECK(result.out.find("backward") == std::string::npos);
  const std::string csv = read_file(path);
  CHECK(csv.starts_with("device,layer,op,attributes,output,forward_seconds,"));
  CHECK(csv.find("\r\ncpu,conv1,conv2d,") != std::string::npos);
  CHECK(csv.find("\r\ncpu,total,") != std::string::npos);
}

TEST_CASE("layers of several devices are side by side, and below one another in CSV") {
  const ddlbench::test::TemporaryFolder folder;
  const auto path = folder / "layers.csv";
  const LayersResult result = layers({"mlp", "--option", "hidden=4", "--input", "1x3x3", "--device", "cpu,reference",
                                      "--csv", path, "--quiet", "--threads", "1"});
  INFO(result.err);
  REQUIRE(result.code == exit_code::ok);
  CHECK(result.out.find("cpu forward ms  backward ms  reference forward ms  backward ms  ratio\n") !=
        std::string::npos);
  const std::string csv = read_file(path);
  CHECK(csv.find("\r\ncpu,fc1,linear,") != std::string::npos);
  CHECK(csv.find("\r\nreference,fc1,linear,") != std::string::npos);
}

TEST_CASE("layers rejects what it cannot time before it times anything") {
  for (const auto& [words, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{}, "no model given"},
           {{"lenett"}, "did you mean 'lenet'"},
           {{"lenet", "--device", "cpuu"}, "did you mean 'cpu'"},
           {{"lenet", "--device", "cpu,refrence"}, "did you mean 'reference'"},
           {{"lenet", "--precision", "fp23"}, "did you mean 'fp32'"},
           {{"lenet", "--input", "3xx"}, "--input 3xx"},
           {{"lenet", "--input", "1x2x2"}, "at least 16x16"},
           {{"lenet", "--batch", "0"}, "--batch"},
           {{"lenet", "--threads", "60000"}, "--threads 60000"},
           {{"lenet", "--config", "/nowhere.json"}, "/nowhere.json"}}) {
    const LayersResult result = layers(words);
    CAPTURE(result.err, said);
    CHECK(result.code == exit_code::usage);
    CHECK(result.out.empty());
    CHECK(result.err.find(said) != std::string::npos);
  }
  CHECK(layers({"--help"}).code == 0);
  CHECK(layers({"--help"}).out.find("--forward-only") != std::string::npos);
}

TEST_CASE("layers says why a device does not exist") {
  for (const auto& kind : ddlbench::kernels::device_kinds()) {
    if (kind.count().devices > 0) continue;
    const LayersResult result = layers({"lenet", "--device", kind.name});
    CHECK(result.code == exit_code::usage);
    CHECK(result.err.find("--device " + kind.name + ": not available here: " + kind.count().why_none) !=
          std::string::npos);
  }
}
