#include "bench/command/number_limits.h"

#include <fmt/core.h>
#include <charconv>
#include <cmath>

namespace ddlbench::bench {
namespace {

/// Returns whether the whole text is a number. If it is, `value` is that number.
template <class Number>
bool parse(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

CLI::Validator integer_from(std::int64_t least, std::int64_t most) {
  const auto error_of = [least, most](const std::string& text) -> std::string {
    std::int64_t value = 0;
    if (parse(text, value) && value >= least && value <= most) return "";
    return fmt::format("expected an integer from {} to {}; found \"{}\"", least, most, text);
  };
  return {error_of, fmt::format("{} to {}", least, most)};
}

CLI::Validator positive_number() {
  const auto error_of = [](const std::string& text) -> std::string {
    double value = 0;
    if (parse(text, value) && std::isfinite(value) && value > 0) return "";
    return fmt::format("expected a number greater than 0; found \"{}\"", text);
  };
  return {error_of, "greater than 0"};
}

std::optional<double> parse_percentage(const std::string& text) {
  if (!text.ends_with('%')) return std::nullopt;
  std::string number = text.substr(0, text.size() - 1);
  if (number.ends_with(' ')) number.pop_back();
  double value = 0;
  if (!parse(number, value) || !(value >= 0 && value <= 100)) return std::nullopt;
  return value / 100;
}

CLI::Validator percentage() {
  const auto error_of = [](const std::string& text) -> std::string {
    if (parse_percentage(text)) return "";
    return fmt::format("expected a percentage from 0% to 100%, such as 2%; found \"{}\"", text);
  };
  return {error_of, ""};
}

}  // namespace ddlbench::bench
