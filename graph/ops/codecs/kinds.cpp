#include <fmt/core.h>

#include "base/names.h"
#include "graph/attributes.h"
#include "graph/ops/codecs/kind.h"

namespace ddlbench::graph {

#define DDLBENCH_CODEC(name) CodecKind name();
#include "graph/ops/codecs.def"
#undef DDLBENCH_CODEC

namespace {

std::string option_text(const std::string& name, const OptionValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return attribute_text(name.c_str(), *integer);
  const auto* number = std::get_if<double>(&value);
  require(number != nullptr, "a codec's options are numbers");
  return attribute_text(name.c_str(), *number);
}

void check_limits(const CodecKind& kind, const Option& option, const OptionValue& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  const double number = integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
  const bool low = !(number >= option.minimum) || (option.above && number == option.minimum);
  if (!low && number <= option.maximum) return;
  throw InputError(fmt::format("codec {}: {} must be {} {} and at most {}, but is {}", kind.name, option.name,
                               option.above ? "above" : "at least", to_text(option.minimum), to_text(option.maximum),
                               to_text(number)));
}

}  // namespace

const std::vector<CodecKind>& codec_kinds() {
  static const std::vector<CodecKind> kinds{
#define DDLBENCH_CODEC(name) name(),
#include "graph/ops/codecs.def"
#undef DDLBENCH_CODEC
  };
  return kinds;
}

Codec make_codec(const Choice& choice) {
  const CodecKind& kind = find_named(codec_kinds(), choice.kind, "codec");
  Codec codec{&kind, with_defaults(kind.options, choice.options)};
  for (const Option& option : kind.options) check_limits(kind, option, codec.options.at(option.name));
  if (kind.problems == nullptr) return codec;
  for (const OptionProblem& problem : kind.problems(codec.options))
    throw InputError(fmt::format("codec {}: {} {}", kind.name, problem.option, problem.what));
  return codec;
}

std::string Codec::text() const {
  std::string text = kind->name;
  for (const auto& [name, value] : options) text += " " + option_text(name, value);
  return text;
}

}  // namespace ddlbench::graph
