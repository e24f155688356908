#include "graph/ops/codec.h"

#include "kernels/cpu/codec_grouped.h"
#include "kernels/cpu/codec_selected.h"
#include "kernels/cpu/ops.h"
#include "kernels/own/bind.h"

namespace ddlbench::kernels::cpu {

DDLBENCH_CPU_KERNEL(encode, Storage::any_float) {
  return with_rule(attributes_of<graph::Encode>(binding).codec, [&]<class Rule>(const Rule& rule) {
    return own::with_storage(binding.inputs[0].dtype,
                             [&]<class T>(own::StorageTag<T>) { return bind_encode<Rule, T>(binding, context, rule); });
  });
}

DDLBENCH_CPU_KERNEL(decode, Storage::any_float) {
  return with_rule(attributes_of<graph::Decode>(binding).codec, [&]<class Rule>(const Rule& rule) {
    return own::with_storage(binding.outputs[0].dtype,
                             [&]<class T>(own::StorageTag<T>) { return bind_decode<Rule, T>(binding, context, rule); });
  });
}

}  // namespace ddlbench::kernels::cpu
