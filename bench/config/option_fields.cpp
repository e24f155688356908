#include "bench/config/option_fields.h"

#include <limits>

#include "bench/config/limits.h"

namespace ddlbench::bench {

Field to_field(const Option& option) {
  using Type = Field::Type;
  constexpr Type types[] = {Type::boolean, Type::integer,  Type::number, Type::text,
                            Type::axes,    Type::integers, Type::texts,  Type::kind};
  Field made;
  made.name = option.name;
  made.type = types[option.default_value.index()];
  made.help = option.help;
  made.required = option.required;
  if (!option.required) made.default_value = option.default_value;
  made.choices = option.choices;
  made.may_be_empty = true;  // the owner of the option decides whether an empty text has a meaning
  const bool is_number = made.type == Type::integer || made.type == Type::number || made.type == Type::integers;
  if (is_number && option.minimum > std::numeric_limits<double>::lowest()) made.range.minimum = option.minimum;
  if (is_number && option.maximum < std::numeric_limits<double>::max()) made.range.maximum = option.maximum;
  made.range.above = option.above;
  if (made.type == Type::axes) made.range = {1, max_ranks};
  if (const auto* nested = std::get_if<Nested>(&option.default_value)) {
    made.noun = option.name;
    made.kinds = kinds_of(option.kinds);
    if (!option.required) made.default_value = nested->at(0).kind;
  }
  made.sweep = made.of_kind = true;
  return made;
}

}  // namespace ddlbench::bench
