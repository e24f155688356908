#pragma once

#include "workloads/model.h"

namespace ddlbench::workloads {

ModelKind lenet();
ModelKind mlp();
ModelKind cnn_fc();
ModelKind alexnet();
ModelKind vgg16();
ModelKind resnet18();
ModelKind resnet34();
ModelKind resnet50();
ModelKind resnet101();
ModelKind resnet152();
ModelKind tiny_gpt();
ModelKind gpt2_small();
ModelKind gpt2_medium();
ModelKind graph_of_layers();

}  // namespace ddlbench::workloads
