#include "graph/ops/normalise.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/graph.h"

namespace ddlbench::graph {

Normalise::Normalise(Normalisation how, DType dtype) : normalisation(std::move(how)), to(dtype) {
  const std::size_t channels = normalisation.mean.size();
  require(channels >= 1 && channels <= max_normalised_channels && normalisation.deviation.size() == channels,
          "normalise: expected means and deviations of 1 to {} channels", max_normalised_channels);
  require(is_float(to), "normalise: the result must be floating-point");
}

std::string Normalise::attributes() const {
  return fmt::format("to={} {}", name(to), to_string(normalisation));
}

std::vector<TensorType> Normalise::infer(Types inputs) const {
  require(inputs.size() == 1, "normalise: wrong number of inputs");
  const TensorType& x = inputs[0];
  const std::size_t channels = normalisation.mean.size();
  if (x.dtype != DType::u8 || x.channel_block != 1 || x.shape.size() < 2 ||
      (channels > 1 && x.shape[1] != static_cast<std::int64_t>(channels))) {
    throw InputError(fmt::format("normalise: {} is not a row-major u8 tensor with {}", to_string(x),
                                 channels > 1 ? fmt::format("{} channels", channels) : "any number of channels"));
  }
  return {{x.shape, to}};
}

std::vector<Signature> Normalise::signatures(Types) const {
  return {{{sharded(0)}, {sharded(0)}}};
}

void Normalise::differentiate(Differentiation& d) const {
  require(!d.needs_gradient(0), "normalise: bytes have no gradient");
}

}  // namespace ddlbench::graph
