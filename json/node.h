#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/location.h"

namespace ddlbench::json {

struct Member;

/// A JSON value with its location. Objects keep the order of their members.
struct Node {
  enum class Kind : std::uint8_t { null, boolean, integer, number, text, list, object };
  Kind kind = Kind::null;
  Location at;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  ///< also set for integers
  std::string text;   ///< the text, or for Kind::number the literal as written
  std::vector<Node> elements;
  std::vector<Member> members;

  /// Returns the member with this key, or nullptr if there is none.
  const Member* find(const std::string& key) const;
  Member* find(const std::string& key);
};

struct Member {
  std::string key;
  Location at;  ///< location of the key
  Node value;
};

}  // namespace ddlbench::json
