#include "graph/ops/gelu.h"
#include "graph/ops/shape.h"
#include "workloads/models/layers/layer_kind.h"

namespace ddlbench::workloads {
namespace {

using graph::TensorId;
using Inputs = std::vector<TensorId>;

LayerKind linear() {
  LayerKind kind{"linear",
                 "a fully connected layer over the last dimension",
                 {size_option("features", "size of the last dimension of the result"),
                  {"bias", true, "add a learned number per feature"},
                  activation_option()},
                 1,
                 1,
                 [](Builder& net, const std::string& name, const Inputs& inputs, const OptionValues& options) {
                   return net.linear(name, inputs[0],
                                     {value_of<std::int64_t>(options, "features"), activation_of(options),
                                      value_of<bool>(options, "bias"), weight_init_of(options)});
                 }};
  for (Option& option : weight_init_options()) kind.options.push_back(std::move(option));
  return kind;
}

LayerKind add() {
  return {"add",
          "the sum of two inputs of one shape",
          {},
          2,
          2,
          [](Builder& net, const std::string& name, const Inputs& inputs, const OptionValues&) {
            return net.add(name, std::make_shared<graph::Add>(), inputs);
          }};
}

LayerKind flatten() {
  return {"flatten",
          "joins all dimensions except the batch",
          {},
          1,
          1,
          [](Builder& net, const std::string& name, const Inputs& inputs, const OptionValues&) {
            return net.flatten(name, inputs[0]);
          }};
}

LayerKind dropout() {
  return {"dropout",
          "drops values during training",
          {{"rate", 0.5, "dropout rate", 0, {}, 0.999}},
          1,
          1,
          [](Builder& net, const std::string& name, const Inputs& inputs, const OptionValues& options) {
            return net.dropout(name, inputs[0], value_of<double>(options, "rate"));
          }};
}

LayerKind layer_norm() {
  return {"layer_norm",
          "normalises over the last dimension",
          {{"epsilon", 1e-5, "added to the variance", 0}},
          1,
          1,
          [](Builder& net, const std::string& name, const Inputs& inputs, const OptionValues& options) {
            return net.layer_norm(name, inputs[0], static_cast<float>(value_of<double>(options, "epsilon")));
          }};
}

LayerKind gelu() {
  return {"gelu",
          "the Gaussian error linear unit",
          {{"form",
            std::string("tanh"),
            "exact, with the error function, or GPT-2's tanh approximation",
            0,
            {"exact", "tanh"}}},
          1,
          1,
          [](Builder& net, const std::string& name, const Inputs& inputs, const OptionValues& options) {
            const bool exact = value_of<std::string>(options, "form") == "exact";
            return net.add(name, std::make_shared<graph::Gelu>(exact ? graph::GeluForm::exact : graph::GeluForm::tanh),
                           {inputs[0]});
          }};
}

}  // namespace

std::vector<LayerKind> common_layers() {
  return {linear(), add(), flatten(), dropout(), layer_norm(), gelu()};
}

}  // namespace ddlbench::workloads
