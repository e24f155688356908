#include "../case/host_memory.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

SmallCase photos(const std::string& model, std::int64_t batch) {
  return whole_model(model, {}, images("3x224x224", 1000, batch), batch);
}

}  // namespace

TEST_CASE("AlexNet's resident memory is as planned") {
  require_no_more_than_planned(photos("alexnet", 8));
}
TEST_CASE("VGG-16's resident memory is as planned") {
  require_no_more_than_planned(photos("vgg16", 2));
}
TEST_CASE("ResNet-18's resident memory is as planned") {
  require_no_more_than_planned(photos("resnet18", 4));
}
TEST_CASE("ResNet-50's resident memory is as planned") {
  require_no_more_than_planned(photos("resnet50", 2));
}
TEST_CASE("the resident memory of the survey's network is as planned") {
  require_no_more_than_planned(whole_model("cnn-fc", {}, images("3x32x32", 10, 128), 64));
}
TEST_CASE("GPT-2 small's resident memory is as planned") {
  SmallCase small = whole_model("gpt2-small", {}, tokens(64, 50257, 2), 2);
  small.experiment.training.optimizer = {"adamw", {{"learning_rate", 1e-4}}};
  require_no_more_than_planned(small);
}
TEST_CASE("GPT-2 medium's resident memory is as planned") {
  SmallCase small = whole_model("gpt2-medium", {}, tokens(64, 50257, 1), 1);
  small.experiment.training.optimizer = {"adamw", {{"learning_rate", 1e-4}}};
  require_no_more_than_planned(small);
}
TEST_CASE("a checkpoint is written without copying a large tensor to host memory") {
  const test::TemporaryFolder folder;
  // A weight of 268 MB, more than the limit of 200 MB.
  SmallCase small = whole_model("mlp", {{"hidden", Integers{4096, 16384}}}, images("1x28x28", 10, 8), 8);
  small.experiment.training.checkpoint.save = folder.path();
  require_no_more_than_planned(small);
}
