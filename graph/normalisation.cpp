#include "graph/normalisation.h"

#include <fmt/core.h>
#include <cstddef>

#include "base/join.h"
#include "base/number.h"

namespace ddlbench::graph {
namespace {

std::string list(const std::vector<double>& numbers) {
  return joined(numbers, ",", [](double number) { return to_text(number); });
}

}  // namespace

std::string to_string(const Normalisation& normalisation) {
  const bool wide = normalisation.arithmetic == Normalisation::Arithmetic::f64;
  return fmt::format("mean={} deviation={} arithmetic={}", list(normalisation.mean), list(normalisation.deviation),
                     wide ? "f64" : "f32");
}

float normalised(const Normalisation& normalisation, std::size_t channel, std::uint8_t byte) {
  const std::size_t at = normalisation.mean.size() == 1 ? 0 : channel;
  const double mean = normalisation.mean.at(at), deviation = normalisation.deviation.at(at);
  if (normalisation.arithmetic == Normalisation::Arithmetic::f64) return normalised(byte, mean, deviation);
  return normalised(byte, static_cast<float>(mean), static_cast<float>(deviation));
}

std::vector<float> normalised(const Normalisation& normalisation, const Shape& sample, const std::uint8_t* bytes,
                              std::int64_t samples) {
  const std::int64_t size = elements(sample), plane = size / sample.at(0);
  std::vector<float> values(static_cast<std::size_t>(samples * size));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t channel = static_cast<std::int64_t>(i) % size / plane;
    values[i] = normalised(normalisation, static_cast<std::size_t>(channel), bytes[i]);
  }
  return values;
}

}  // namespace ddlbench::graph
