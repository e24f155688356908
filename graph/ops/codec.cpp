#include "graph/ops/codec.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/attributes.h"

namespace ddlbench::graph {

std::string Encode::attributes() const {
  return codec.text() + " " + attribute_text("feedback", feedback, "stream", stream);
}

std::vector<TensorType> Encode::infer(Types inputs) const {
  require(inputs.size() == (feedback ? 2U : 1U), "encode: wrong number of inputs");
  const TensorType& g = inputs[0];
  if (!is_float(g.dtype) || g.shape.size() != 1)
    throw InputError(fmt::format("encode: {} must be a flat tensor of floating-point numbers", to_string(g)));
  std::vector<TensorType> outputs{{{codec.payload_bytes(g.shape[0])}, DType::u8}};
  if (!feedback) return outputs;
  if (inputs[1] != TensorType{g.shape, DType::f32})
    throw InputError(fmt::format("encode: the residual {} must have one f32 for each element of {}",
                                 to_string(inputs[1]), to_string(g)));
  outputs.push_back(inputs[1]);
  return outputs;
}

std::string Decode::attributes() const {
  return codec.text() + " " + attribute_text("elements", elements, "parts", parts, "to", to);
}

std::vector<TensorType> Decode::infer(Types inputs) const {
  require(inputs.size() == 1, "decode: wrong number of inputs");
  require(parts >= 1 && is_float(to), "decode: wrong attributes");
  const TensorType payloads{{parts * codec.payload_bytes(elements)}, DType::u8};
  if (inputs[0] != payloads)
    throw InputError(fmt::format("decode: {} payloads of {} elements are {}, not {}", parts, elements,
                                 to_string(payloads), to_string(inputs[0])));
  return {{{elements}, to}};
}

double Decode::flops(Types, Types) const {
  return static_cast<double>(elements) * parts;
}

}  // namespace ddlbench::graph
