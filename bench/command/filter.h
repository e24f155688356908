#pragma once

#include <memory>
#include <string>

namespace re2 {
class RE2;
}

namespace ddlbench::bench {

/// A regular expression of RE2, which takes time linear in the text whatever it is: the usual syntax, but neither
/// references back nor looking ahead or behind.
class Filter {
 public:
  /// Throws InputError where the pattern is none, or has more than 1000 characters.
  explicit Filter(const std::string& pattern);
  ~Filter();
  bool matches(const std::string& text) const;  ///< anywhere in it

 private:
  std::unique_ptr<re2::RE2> expression_;
};

}  // namespace ddlbench::bench
