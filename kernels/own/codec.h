#pragma once

#include "kernels/own/codec_grouped.h"
#include "kernels/own/codec_selected.h"

/// The ops of graph/ops/codec.h.
namespace ddlbench::kernels::own {

std::unique_ptr<Kernel> bind_encode(const Binding& binding, const auto& launcher) {
  return with_rule(attributes_of<graph::Encode>(binding).codec, [&]<class Rule>(const Rule& rule) {
    return with_storage(binding.inputs[0].dtype,
                        [&]<class T>(StorageTag<T>) { return bind_encode_by<Rule, T>(binding, launcher, rule); });
  });
}

std::unique_ptr<Kernel> bind_decode(const Binding& binding, const auto& launcher) {
  return with_rule(attributes_of<graph::Decode>(binding).codec, [&]<class Rule>(const Rule& rule) {
    return with_storage(binding.outputs[0].dtype,
                        [&]<class T>(StorageTag<T>) { return bind_decode_by<Rule, T>(binding, launcher, rule); });
  });
}

}  // namespace ddlbench::kernels::own
