#include "graph/ops/loss_scale.h"

#include "base/error.h"

namespace ddlbench::graph {

std::vector<TensorType> LossScaleUpdate::infer(Types inputs) const {
  const TensorType norm{{1}, DType::f32}, scaler{{loss_scaler_states.size()}, DType::f32};
  require(inputs.size() == 2 && inputs[0] == norm && inputs[1] == scaler,
          "loss_scale_update: takes a squared norm and a loss scaler");
  return {scaler};
}

}  // namespace ddlbench::graph
