#include "workloads/models/gpt2_file.h"

namespace ddlbench::workloads {
namespace {

constexpr const char* head = "lm_head.weight";

graph::FileLayout layout_of(const std::string& parameter, std::int64_t head_size) {
  graph::FileLayout layout;
  if (parameter.find(".c_attn.") != std::string::npos) layout.head_size = head_size;
  for (const char* linear : {".c_attn.weight", ".c_proj.weight", ".c_fc.weight"})
    if (parameter.ends_with(linear)) layout.transposed = true;
  return layout;
}

}  // namespace

graph::FileNames gpt2_file_names(const graph::Graph& model, std::int64_t head_size) {
  graph::FileNames names;
  names.optional_prefix = "transformer.";
  names.ignored = {".attn.bias", ".attn.masked_bias"};
  bool tied = true;
  for (const graph::TensorId id : model.with_role(graph::Role::parameter)) {
    const std::string& name = model.tensors[static_cast<std::size_t>(id)].name;
    if (name == head) tied = false;
    names.parameters[name] = {name == head ? name : names.optional_prefix + name, layout_of(name, head_size)};
  }
  if (tied) names.ignored.emplace_back(head);
  return names;
}

}  // namespace ddlbench::workloads
