#include "graph/ops/readiness.h"

#include "base/error.h"
#include "graph/attributes.h"

namespace ddlbench::graph {

std::string MarkReady::attributes() const {
  return attribute_text("tensors", tensors, "begin", ready.begin, "end", ready.end);
}

std::vector<TensorType> MarkReady::infer(Types inputs) const {
  require(inputs.empty(), "mark_ready has no inputs");
  require(0 <= ready.begin && ready.begin <= ready.end && ready.end <= tensors, "mark_ready: no such tensors");
  return {{{tensors}, DType::u8}};
}

std::string ConfirmReady::attributes() const {
  return attribute_text("tensors", tensors);
}

std::vector<TensorType> ConfirmReady::infer(Types inputs) const {
  require(inputs.size() == 2 && inputs[1].shape == Shape{1} && is_float(inputs[1].dtype),
          "confirm_ready needs marks and one number");
  require(
      inputs[0].dtype == DType::u8 && inputs[0].shape.size() == 1 && tensors > 0 && inputs[0].shape[0] % tensors == 0,
      "confirm_ready needs a mark of each of {} tensors for each cycle", tensors);
  return {inputs[1]};
}

}  // namespace ddlbench::graph
