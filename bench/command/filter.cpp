#include "bench/command/filter.h"

#include <fmt/core.h>

#include <re2/re2.h>

#include "base/error.h"

namespace ddlbench::bench {

Filter::Filter(const std::string& pattern) {
  constexpr std::size_t longest = 1000;
  if (pattern.empty()) throw InputError("empty; leave it out for all cases");
  if (pattern.size() > longest) {
    throw InputError(fmt::format("has {} characters, more than the {} that it may have", pattern.size(), longest));
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  expression_ = std::make_unique<re2::RE2>(pattern, options);
  if (!expression_->ok()) throw InputError("not a regular expression: " + expression_->error());
}

Filter::~Filter() = default;

bool Filter::matches(const std::string& text) const {
  return re2::RE2::PartialMatch(text, *expression_);
}

}  // namespace ddlbench::bench
