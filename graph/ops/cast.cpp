#include "graph/ops/cast.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/graph.h"

namespace ddlbench::graph {

std::vector<TensorType> Cast::infer(Types inputs) const {
  require(inputs.size() == 1, "cast: wrong number of inputs");
  if (!is_float(inputs[0].dtype) || !is_float(to))
    throw InputError(
        fmt::format("cast: {} cannot become {}: both must be floating-point types", to_string(inputs[0]), name(to)));
  return {{inputs[0].shape, to, inputs[0].channel_block}};
}

void Cast::differentiate(Differentiation& d) const {
  d.backward_input(std::make_shared<Cast>(d.input_type(0).dtype), {d.output_gradient(0)});
}

}  // namespace ddlbench::graph
