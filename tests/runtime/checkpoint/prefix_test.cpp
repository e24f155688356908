#include "base/error.h"
#include "catch.h"
#include "failure.h"
#include "runtime/checkpoint/checkpoint.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::runtime;

namespace {

const TensorTypes model{{"fc1.bias", {{2}}}, {"fc1.weight", {{2, 3}}}};

/// Writes the weights of the model, with `prefix` before each name.
void write_with(const std::string& prefix, const std::string& path) {
  SafetensorsWriter writer(path, {{}, {{prefix + "fc1.bias", "F32", {2}}, {prefix + "fc1.weight", "F32", {2, 3}}}});
  const std::vector<float> values(8, 0.25F);
  writer.write(values.data(), 2);
  writer.write(values.data(), 6);
  writer.finish();
  writer.commit();
}

/// Returns the error for a file whose names begin with `prefix`, if `stripped` is to be left out; "" if it fits.
std::string error_of(const std::string& prefix, const std::string& stripped, graph::FileNames names = {}) {
  const test::TemporaryFolder folder;
  write_with(prefix, folder / "w.safetensors");
  names.strip_prefix = stripped;
  try {
    require_fits(folder / "w.safetensors", model, names);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a prefix that all names of a file have is named, and left out on request") {
  for (const std::string prefix : {"module.", "_orig_mod.module."}) {
    const std::string said = error_of(prefix, "");
    test::check_says(said, "2 unknown to the model");
    test::check_says(said, "; all names in the file begin with \"" + prefix +
                               "\": set training/checkpoint/strip_prefix to \"" + prefix + "\"");
    CHECK(error_of(prefix, prefix).empty());
  }
  CHECK(error_of("", "").empty());
}

TEST_CASE("an optional prefix of a model's names may follow the one that is left out") {
  graph::FileNames names;
  names.optional_prefix = "transformer.";
  names.parameters = {{"fc1.bias", {"transformer.fc1.bias"}}, {"fc1.weight", {"transformer.fc1.weight"}}};
  for (const std::string prefix : {"", "transformer."}) {
    CHECK(error_of(prefix, "", names).empty());
    CHECK(error_of("module." + prefix, "module.", names).empty());
  }
}

TEST_CASE("a prefix that no name has is rejected, and one that explains nothing is not advised") {
  test::check_says(error_of("", "module."),
                   "no name in the file begins with \"module.\", the value of training/checkpoint/strip_prefix; the "
                   "names are such as \"fc1.bias\"");
  test::check_says(error_of("net.", "module."), "the names are such as \"net.fc1.bias\"");
  test::check_says(error_of("net.fc2.", ""), "set training/checkpoint/strip_prefix to \"net.fc2.\"");
  const test::TemporaryFolder folder;
  write_with("net.", folder / "w.safetensors");
  try {
    require_fits(folder / "w.safetensors", {{"conv.weight", {{2, 3}}}}, {});
    FAIL("nothing was thrown");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("prefix") == std::string::npos);
  }
}
