#pragma once

#include "graph/ops/readiness.h"
#include "kernels/binding.h"

namespace ddlbench::kernels {

/// Returns the attributes of a MarkReady. Throws InputError if the types do not fit, or if it accumulates.
inline const graph::MarkReady& checked_mark_ready(const Binding& binding) {
  expect_no_accumulation(binding);
  expect_inferred(binding, 0, 1);
  return attributes_of<graph::MarkReady>(binding);
}

/// Returns the number of cycles of a ConfirmReady. Throws InputError if it accumulates.
inline std::int64_t cycles_of_confirm_ready(const Binding& binding) {
  expect_no_accumulation(binding);
  expect_inferred(binding, 2, 1);
  return binding.inputs[0].shape[0] / attributes_of<graph::ConfirmReady>(binding).tensors;
}

}  // namespace ddlbench::kernels
