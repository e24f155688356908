#include "kernels/sizes/codec.h"

#include <string>

#include "graph/ops/codecs/layout.h"

namespace ddlbench::kernels {
namespace {

std::int64_t selected_by(const graph::Codec& codec, std::int64_t elements) {
  const auto density = codec.options.find("density");
  return density == codec.options.end() ? 0 : graph::selected_of(std::get<double>(density->second), elements);
}

/// Payloads consist of words of 32 bits.
void expect_words(const Binding& binding, std::int64_t alignment) {
  expect(binding, alignment >= std::int64_t{sizeof(std::uint32_t)}, "a payload must be aligned to 4 bytes");
}

}  // namespace

EncodeSizes sizes_of_encode(const Binding& binding) {
  const auto& op = attributes_of<graph::Encode>(binding);
  const std::size_t operands = op.feedback ? 2 : 1;
  expect_inferred(binding, operands, operands);
  expect_no_accumulation(binding);
  expect_words(binding, binding.output_alignment(0));
  const std::int64_t elements = binding.inputs[0].shape[0];
  return {elements, selected_by(op.codec, elements), op.feedback};
}

DecodeSizes sizes_of_decode(const Binding& binding) {
  const auto& op = attributes_of<graph::Decode>(binding);
  expect_inferred(binding, 1, 1);
  expect_words(binding, binding.input_alignment(0));
  return {op.elements, selected_by(op.codec, op.elements), op.parts, op.codec.payload_bytes(op.elements)};
}

}  // namespace ddlbench::kernels
