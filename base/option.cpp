#include "base/option.h"

#include "base/error.h"
#include "base/names.h"

namespace ddlbench {
namespace {

OptionValue whole(const Option& option, const OptionValue& value) {
  require(value.index() == option.default_value.index(), "option '" + option.name + "' has a different type");
  const auto* nested = std::get_if<Nested>(&value);
  if (nested == nullptr) return value;
  require(nested->size() == 1, "option '" + option.name + "' takes a single choice");
  const Choice& choice = nested->front();
  const OptionKind& kind = find_named(option.kinds, choice.kind, "kind of " + option.name);
  return Nested{{choice.kind, with_defaults(kind.options, choice.options)}};
}

}  // namespace

OptionValues with_defaults(const std::vector<Option>& options, const OptionValues& values) {
  OptionValues all;
  for (const Option& option : options) {
    const auto given = values.find(option.name);
    all[option.name] = whole(option, given == values.end() ? option.default_value : given->second);
  }
  for (const auto& given : values) require(all.contains(given.first), "option '" + given.first + "' is unknown");
  return all;
}

}  // namespace ddlbench
