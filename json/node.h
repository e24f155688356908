#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/location.h"

namespace ddlbench::json {

struct Member;

/// A JSON value that knows where it stands. Objects keep the order in which they are written.
struct Node {
  enum class Kind : std::uint8_t { null, boolean, integer, number, text, list, object };
  Kind kind = Kind::null;
  Location at;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  ///< of integers, too
  std::string text;   ///< of a number that is not of kind integer: as it is written
  std::vector<Node> elements;
  std::vector<Member> members;

  /// nullptr where there is no such key.
  const Member* find(const std::string& key) const;
  Member* find(const std::string& key);
};

struct Member {
  std::string key;
  Location at;  ///< of the key
  Node value;
};

}  // namespace ddlbench::json
