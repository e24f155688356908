#include "base/names.h"
#include "workloads/models/models.h"

namespace ddlbench::workloads {

const std::vector<ModelKind>& model_kinds() {
  static const std::vector<ModelKind> kinds{
      lenet(),    mlp(),       cnn_fc(),    alexnet(),  vgg16(),      resnet18(),    resnet34(),
      resnet50(), resnet101(), resnet152(), tiny_gpt(), gpt2_small(), gpt2_medium(), graph_of_layers(),
  };
  return kinds;
}

const ModelKind& find_model(const std::string& name) {
  return find_named(model_kinds(), name, "model");
}

}  // namespace ddlbench::workloads
