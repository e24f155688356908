#include <charconv>
#include <cmath>

#include "graph/error.h"
#include "workloads/images/transform.h"

namespace ddlbench::workloads {

Normalisation::Normalisation(const std::array<double, 3>& mean, const std::array<double, 3>& deviation,
                             const std::string& who) {
  for (std::size_t channel = 0; channel < tables_.size(); ++channel) {
    const auto subtracted = static_cast<float>(mean[channel]), divisor = static_cast<float>(deviation[channel]);
    if (!(divisor > 0)) {
      throw InputError(who + ": the option std must be three positive numbers, but holds " +
                       std::to_string(deviation[channel]));
    }
    for (std::size_t value = 0; value < 256; ++value) {
      const float normalised = (static_cast<float>(value) / 255.0F - subtracted) / divisor;
      if (!std::isfinite(normalised)) {
        throw InputError(who + ": mean and std turn the value " + std::to_string(value) +
                         " into one that no float holds; use means in [0, 1] and deviations near 0.25");
      }
      tables_[channel][value] = normalised;
    }
  }
}

std::array<double, 3> three_numbers(const std::string& text, const std::string& who, const std::string& option) {
  std::array<double, 3> numbers{};
  const char* at = text.data();
  const char* const end = at + text.size();
  bool whole = true;
  for (std::size_t i = 0; whole && i < numbers.size(); ++i) {
    while (at != end && *at == ' ') ++at;
    const auto [after, error] = std::from_chars(at, end, numbers[i]);
    at = after;
    const bool last = i + 1 == numbers.size();
    whole = error == std::errc{} && std::isfinite(numbers[i]) && (last ? at == end : at != end && *at == ',');
    if (!last && whole) ++at;
  }
  if (!whole) {
    throw InputError(who + ": the option " + option +
                     " must be three numbers such as \"0.485,0.456,0.406\", but is \"" + text + "\"");
  }
  return numbers;
}

void write_planes(const Pixels& pixels, const Normalisation& normalisation, bool mirrored, float* to) {
  const auto width = static_cast<std::size_t>(pixels.width), height = static_cast<std::size_t>(pixels.height);
  const float* const red = normalisation[0].data();
  const float* const green = normalisation[1].data();
  const float* const blue = normalisation[2].data();
  for (std::size_t y = 0; y < height; ++y) {
    const std::uint8_t* from = pixels.data + y * pixels.stride + (mirrored ? (width - 1) * 3 : 0);
    const std::ptrdiff_t step = mirrored ? -3 : 3;
    float* const r = to + y * width;
    float* const g = r + height * width;
    float* const b = g + height * width;
    for (std::size_t x = 0; x < width; ++x, from += step) {
      r[x] = red[from[0]];
      g[x] = green[from[1]];
      b[x] = blue[from[2]];
    }
  }
}

}  // namespace ddlbench::workloads
