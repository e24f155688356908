#include "workloads/images/normalisation_tables.h"

#include <fmt/core.h>
#include <charconv>
#include <cmath>

#include "base/error.h"

namespace ddlbench::workloads {

NormalisationTables::NormalisationTables(graph::Normalisation of, const std::string& who)
    : normalisation_(std::move(of)), tables_(normalisation_.mean.size()) {
  for (std::size_t channel = 0; channel < tables_.size(); ++channel) {
    if (!(normalisation_.deviation.at(channel) > 0)) {
      throw InputError(
          fmt::format("{}: the option std must be positive, but holds {}", who, normalisation_.deviation[channel]));
    }
    for (std::size_t value = 0; value < 256; ++value) {
      tables_[channel][value] = graph::normalised(normalisation_, channel, static_cast<std::uint8_t>(value));
      if (!std::isfinite(tables_[channel][value])) {
        throw InputError(
            fmt::format("{}: mean and std turn the value {} into one that a float cannot hold; use a mean in [0, 1] "
                        "and a std near 0.25",
                        who, value));
      }
    }
  }
}

std::vector<double> three_numbers(const std::string& text, const std::string& who, const std::string& option) {
  std::vector<double> numbers(3);
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
    throw InputError(fmt::format("{}: the option {} must be three numbers such as \"0.485,0.456,0.406\", but is \"{}\"",
                                 who, option, text));
  }
  return numbers;
}

}  // namespace ddlbench::workloads
