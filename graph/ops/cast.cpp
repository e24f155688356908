#include "graph/ops/cast.h"

#include "base/error.h"
#include "graph/graph.h"
#include "graph/ops/activation.h"

namespace ddlbench::graph {

std::string Cast::attributes() const {
  return "to=" + std::string(name(to));
}

std::vector<TensorType> Cast::infer(Types inputs) const {
  require(inputs.size() == 1, "cast: wrong number of inputs");
  if (!is_float(inputs[0].dtype) || !is_float(to))
    throw InputError("cast: " + to_string(inputs[0]) + " cannot become " + std::string(name(to)) +
                     ": both must be floating-point types");
  return {{inputs[0].shape, to, inputs[0].channel_block}};
}

double Cast::flops(Types, Types outputs) const {
  return static_cast<double>(elements(outputs[0].shape));
}

std::vector<Signature> Cast::signatures(Types inputs) const {
  return elementwise_signatures(1, inputs[0].shape);
}

void Cast::differentiate(Differentiation& d) const {
  if (!d.needs_gradient(0)) return;
  d.set_gradient(0, d.emit("backward_input", std::make_shared<Cast>(d.input_type(0).dtype), {d.output_gradient(0)},
                           Phase::backward_input)[0]);
}

std::vector<Signature> Identity::signatures(Types inputs) const {
  return elementwise_signatures(1, inputs[0].shape);
}

}  // namespace ddlbench::graph
