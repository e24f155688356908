#include "workloads/models/number_list.h"

#include <charconv>

#include "graph/error.h"

namespace ddlbench::workloads {

std::vector<std::int64_t> parse_numbers(const NumberList& which, const std::string& text) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::int64_t number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    const bool at_comma = after != end && *after == ',';
    if (error != std::errc{} || number < which.least || number > which.most || (after != end && !at_comma) ||
        (at_comma && after + 1 == end)) {
      throw InputError(which.setting + " must be numbers from " + std::to_string(which.least) + " to " +
                       std::to_string(which.most) + " separated by commas, such as \"" + std::to_string(which.most) +
                       "," + std::to_string(which.least) + "\", but is \"" + text + "\"");
    }
    numbers.push_back(number);
    at = at_comma ? after + 1 : after;
  }
  return numbers;
}

std::vector<std::int64_t> parse_numbers(const NumberList& which, const std::string& text, std::size_t count) {
  std::vector<std::int64_t> numbers = parse_numbers(which, text);
  if (numbers.size() == 1) numbers.assign(count, numbers.front());
  if (numbers.size() == count) return numbers;
  throw InputError(which.setting + " must be one number for all layers or one for each of " + std::to_string(count) +
                   ", but is \"" + text + "\"");
}

}  // namespace ddlbench::workloads
