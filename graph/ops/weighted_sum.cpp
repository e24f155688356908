#include "graph/ops/weighted_sum.h"

#include "base/error.h"
#include "graph/attributes.h"

namespace ddlbench::graph {

std::string WeightedSum::attributes() const {
  std::string text;
  for (const double weight : weights) text += (text.empty() ? "" : " ") + attribute_text("weight", weight);
  return text;
}

std::vector<TensorType> WeightedSum::infer(Types inputs) const {
  require(weights.size() == inputs.size() && (inputs.size() == 1 || inputs.size() == 2),
          "weighted_sum: {} inputs and {} weights, where one or two of each are supported", inputs.size(),
          weights.size());
  require(inputs.front() == inputs.back(), "weighted_sum: the inputs {} and {} must have the same type",
          to_string(inputs.front()), to_string(inputs.back()));
  return {inputs.front()};
}

std::vector<TensorType> KeepWhere::infer(Types inputs) const {
  require(inputs.size() == 2 && inputs[0] == inputs[1], "keep_where: two inputs of the same type are needed");
  return {inputs[0]};
}

}  // namespace ddlbench::graph
