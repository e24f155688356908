#pragma once

#include <memory>
#include <string>

namespace re2 {
class RE2;
}

namespace ddlbench::bench {

/// An RE2 regular expression, which matches in time linear in the text. It has the usual syntax, without backreferences
/// and lookaround.
class Filter {
 public:
  /// Throws InputError if the pattern is empty, invalid, or longer than 1000 characters.
  explicit Filter(const std::string& pattern);
  ~Filter();
  bool matches(const std::string& text) const;  ///< anywhere in `text`

 private:
  std::unique_ptr<re2::RE2> expression_;
};

}  // namespace ddlbench::bench
