#include "graph/ops/optimizer.h"

#include <sstream>

#include "graph/error.h"

namespace ddlbench::graph {
namespace {

std::string number(float value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

}  // namespace

std::string SgdUpdate::attributes() const {
  return "momentum=" + number(momentum) + " weight_decay=" + number(weight_decay);
}

std::vector<TensorType> SgdUpdate::infer(Types inputs) const {
  require(inputs.size() == (momentum != 0 ? 3u : 2u), "sgd_update: wrong number of inputs");
  return momentum != 0 ? std::vector{inputs[0], inputs[2]} : std::vector{inputs[0]};
}

double SgdUpdate::flops(Types inputs, Types) const {
  const double per_element = 2 + (weight_decay != 0 ? 2 : 0) + (momentum != 0 ? 2 : 0);
  return per_element * static_cast<double>(elements(inputs[0].shape));
}

std::string AdamUpdate::attributes() const {
  return "beta1=" + number(beta1) + " beta2=" + number(beta2) + " epsilon=" + number(epsilon) +
         " weight_decay=" + number(weight_decay);
}

std::vector<TensorType> AdamUpdate::infer(Types inputs) const {
  require(inputs.size() == 4, "adam_update: wrong number of inputs");
  return {inputs[0], inputs[2], inputs[3]};
}

double AdamUpdate::flops(Types inputs, Types) const {
  return 14.0 * static_cast<double>(elements(inputs[0].shape));
}

Optimizer sgd(float momentum, float weight_decay) {
  return {std::make_shared<SgdUpdate>(momentum, weight_decay),
          momentum != 0 ? std::vector<std::string>{"momentum"} : std::vector<std::string>{}};
}

Optimizer adam(float beta1, float beta2, float epsilon, float weight_decay) {
  return {std::make_shared<AdamUpdate>(beta1, beta2, epsilon, weight_decay), {"first_moment", "second_moment"}};
}

}  // namespace ddlbench::graph
