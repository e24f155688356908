#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/config/location.h"

namespace ddlbench::bench {

struct JsonMember;

/// A JSON value that knows where it stands. Objects keep the order in which they are written.
struct JsonNode {
  enum class Kind : std::uint8_t { null, boolean, integer, number, text, list, object };
  Kind kind = Kind::null;
  Location at;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  ///< of integers, too
  std::string text;
  std::vector<JsonNode> elements;
  std::vector<JsonMember> members;

  /// nullptr where there is no such key.
  const JsonMember* find(const std::string& key) const;
  JsonMember* find(const std::string& key);
};

struct JsonMember {
  std::string key;
  Location at;  ///< of the key
  JsonNode value;
};

}  // namespace ddlbench::bench
