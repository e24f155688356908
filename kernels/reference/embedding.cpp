#include "kernels/labels.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/reference/sums.h"
#include "kernels/sizes/transformer.h"

namespace ddlbench::kernels::reference {

DDLBENCH_REFERENCE_KERNEL(embedding) {
  const auto z = sizes_of_embedding(binding);
  return make_kernel(binding, [z, accumulate = binding.accumulate](const Arguments& a) {
    const auto* tokens = input_of<std::int32_t>(a, 0);
    require_tokens(tokens, z.tokens, z.vocabulary);
    for (std::int64_t i = 0; i < z.tokens * z.features; ++i) {
      const std::int64_t token = tokens[i / z.features];
      write(output(a, 0)[i], input(a, 1)[token * z.features + i % z.features], accumulate);
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(embedding_backward_weight) {
  const auto z = sizes_of_embedding_backward_weight(binding);
  const std::int64_t size = z.vocabulary * z.features;
  return make_kernel(binding, sums_bytes(size), [z, size, accumulate = binding.accumulate](const Arguments& a) {
    const auto* tokens = input_of<std::int32_t>(a, 0);
    require_tokens(tokens, z.tokens, z.vocabulary);
    const auto rows = sums(a, size);
    for (std::int64_t i = 0; i < z.tokens * z.features; ++i) {
      const std::int64_t token = tokens[i / z.features];
      rows[static_cast<std::size_t>(token * z.features + i % z.features)] += input(a, 1)[i];
    }
    write_all(output(a, 0), rows, accumulate);
  });
}

DDLBENCH_REFERENCE_KERNEL(add_positions) {
  const auto z = sizes_of_add_positions(binding);
  return make_kernel(binding, [z, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t i = 0; i < z.samples * z.elements; ++i) {
      write(output(a, 0)[i], double{input(a, 0)[i]} + input(a, 1)[i % z.elements], accumulate);
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(add_positions_backward_weight) {
  const auto z = sizes_of_add_positions_backward_weight(binding);
  return make_kernel(binding, [z, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t i = 0; i < z.elements; ++i) {
      double sum = 0;
      for (std::int64_t n = 0; n < z.samples; ++n) sum += input(a, 0)[n * z.elements + i];
      write(output(a, 0)[i], sum, accumulate);
    }
  });
}

}  // namespace ddlbench::kernels::reference
