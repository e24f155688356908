#include "bench/command/number_limits.h"

#include <fmt/core.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "bench/slurm/job_states.h"

namespace ddlbench::bench {
namespace {

/// Returns whether the whole text is a number. If it is, `value` is that number.
template <class Number>
bool parse(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Checks the value of an option by the function that reads it. `wanted`: "a time such as 90s".
CLI::Validator parsed_by(auto parse_value, const std::string& wanted) {
  const auto error_of = [=](const std::string& text) -> std::string {
    return parse_value(text) ? "" : fmt::format("expected {}; found \"{}\"", wanted, text);
  };
  return {error_of, ""};
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

CLI::Validator number_from(double least, double most) {
  const auto error_of = [least, most](const std::string& text) -> std::string {
    double value = 0;
    if (parse(text, value) && value >= least && value <= most) return "";
    return fmt::format("expected a number from {:g} to {:g}; found \"{}\"", least, most, text);
  };
  return {error_of, fmt::format("{:g} to {:g}", least, most)};
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

namespace {

/// Returns the seconds of numbers with units, such as "1h30m"; a number without a unit is in seconds.
std::optional<double> parse_units(const std::string& text) {
  double seconds = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
    double number = 0;
    if (!parse(text.substr(begin, end - begin), number)) return std::nullopt;
    const char unit = end < text.size() ? text[end] : 's';
    const double factor = unit == 's' ? 1 : unit == 'm' ? 60 : unit == 'h' ? 3600 : unit == 'd' ? 86400 : 0;
    if (factor == 0) return std::nullopt;
    seconds += number * factor;
    begin = end + 1;
  }
  return seconds;
}

}  // namespace

std::optional<double> parse_duration(const std::string& text) {
  const bool is_clock = text.find_first_of("-:") != std::string::npos;
  const std::optional<double> seconds = is_clock ? parse_slurm_time(text) : parse_units(text);
  return seconds && *seconds > 0 && std::isfinite(*seconds) ? seconds : std::nullopt;
}

CLI::Validator duration() {
  return parsed_by(parse_duration, "a time such as 90s, 45m, 1h30m or 1-02:30:00");
}

std::optional<std::int64_t> parse_size(const std::string& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string unit = text.substr(end);
  if (unit.starts_with(' ')) unit.erase(0, 1);
  double bytes = 0;
  if (!parse(text.substr(0, end), bytes)) return std::nullopt;
  constexpr std::string_view prefixes = "KMGT";
  if (!unit.empty() && unit != "B") {
    const auto power = prefixes.find(unit.front());
    const std::string rest = unit.substr(1);
    if (power == std::string_view::npos || !(rest.empty() || rest == "B" || rest == "iB")) return std::nullopt;
    bytes = std::ldexp(bytes, 10 * (static_cast<int>(power) + 1));
  }
  constexpr double most = 0x1p62;
  if (!(bytes >= 1 && bytes <= most)) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

CLI::Validator size() {
  return parsed_by(parse_size, "a size such as 512M, 8GiB or 800000000");
}

CLI::Validator percentage() {
  return parsed_by(parse_percentage, "a percentage from 0% to 100%, such as 2%");
}

}  // namespace ddlbench::bench
