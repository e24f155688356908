#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddlbench::workloads {

/// The numbers of "512,256"; none of an empty text.
struct NumberList {
  std::string setting;  ///< that errors name: "mlp: hidden"
  std::int64_t least = 1;
  std::int64_t most = 1;
};

/// Throws InputError naming the setting and what it may be.
std::vector<std::int64_t> parse_numbers(const NumberList& which, const std::string& text);

/// The same, and as many as `count`: one number stands for all.
std::vector<std::int64_t> parse_numbers(const NumberList& which, const std::string& text, std::size_t count);

}  // namespace ddlbench::workloads
