#include "bench/case/setup.h"

#include <fstream>

#include "catch.h"
#include "failure.h"
#include "small_case.h"
#include "temporary_folder.h"
#include "workloads/dataset.h"
#include "workloads/tiny_idx.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("training and validation samples of different sizes are rejected", "[case]") {
  const test::TemporaryFolder folder;
  workloads::write_tiny(folder.path());
  workloads::write_gzip(folder / "t10k-images-idx3-ubyte.gz", workloads::idx_bytes({2, 1, 3}, {1, 2, 3, 4, 5, 6}));
  SmallCase small("single");
  small.experiment.workload.dataset = {"idx", {{"path", std::string(folder.path())}}};
  CHECK(test::failure_of<workloads::BadData>([&] { open_data(small.experiment); }) ==
        "the training samples are f32[1x2x2], but the validation samples f32[1x1x3]: they do not belong together");
}

TEST_CASE("a model without parameters is rejected", "[case]") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "empty.json";
  std::ofstream(path) << R"({"name": "empty", "sample": {"shape": [1, 8, 8], "classes": 4},
                             "layers": [{"kind": "flatten"}]})";
  SmallCase small("single");
  small.experiment.workload.model = {"graph", {{"file", path}}};
  CHECK(test::failure_of<InputError>([&] { prepare(small.experiment, small.which); }) ==
        "the model 'empty' has no parameters: there is nothing to train");
}
