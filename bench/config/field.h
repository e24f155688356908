#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/option.h"

namespace ddlbench::bench {

struct Kind;

/// One setting of the configuration, or a group of settings. The parser, the schema and the documentation use nothing
/// else.
struct Field {
  enum class Type : std::uint8_t {
    boolean,
    integer,
    number,
    text,
    axes,      ///< an object of mesh axes and their sizes
    integers,  ///< a list of integers, which may be empty
    texts,     ///< a list of distinct strings, which may be empty
    section,   ///< an object with the members `fields`
    kind,      ///< the name of one of `kinds`, or an object with "kind" and the settings of that kind
    kinds,     ///< a list of these
    groups,    ///< a list of lists of names of settings
    rules,     ///< a list of objects from names of settings to values
  };

  std::string name;
  Type type = Type::section;
  std::string help;
  bool required = false;
  std::optional<OptionValue> default_value;  ///< none: the setting stays unset unless it is written
  Range range;                               ///< of a number, of the elements of a list, or of the sizes of axes
  std::vector<std::string> choices;          ///< of a text, or of the elements of a list; empty: any
  bool file_name = false;                    ///< whether a text must also be valid as the name of a folder
  bool may_be_empty = false;                 ///< whether a text may be empty; it always may if its default is empty
  bool sweep = false;                        ///< whether it may be a list, each value of which gives its own cases
  bool each_case = false;                    ///< a sweep from which each case chooses; others give experiments
  std::string instead_of;                    ///< the required setting that it replaces; exactly one of both is written
  bool common = false;                       ///< whether all kinds share the setting, in contrast to one kind's own
  bool of_kind = false;                      ///< a setting of one of the kinds of a choice: all of these may be lists,
                                             ///< which is said once for all
  std::string noun;                          ///< what one of the kinds is called: "strategy"
  std::vector<Field> fields;
  std::vector<Kind> kinds;

  bool is_list() const { return type == Type::integers || type == Type::texts; }
  Field element() const;  ///< the field of one element of a list
  /// Returns what the field accepts: "an integer of at least 1, or a list of them".
  std::string wanted() const;
  std::string wanted_kind() const;  ///< "the name of a strategy"
  /// Returns whether an empty text has a meaning. Elsewhere it is a mistake, such as a shell variable that is not set.
  bool takes_empty() const;
  const Kind* find_kind(const std::string& kind) const;
  const Kind& kind_named(const std::string& kind) const;  ///< throws ContractError if there is none
};

/// One alternative of a field that is a choice, and the settings that come with it.
struct Kind {
  std::string name;
  std::string help;
  std::vector<Field> fields;
};

const Field* find(const std::vector<Field>& fields, const std::string& name);
std::vector<std::string> names(const std::vector<Field>& fields);
std::vector<std::string> names(const std::vector<Kind>& kinds);

/// Returns the shortest decimal that reads back as the same number.
std::string format_number(double value);
/// Formats a default for messages and documentation: "\"ok\"", "0.9", "false", "{}", "[1, 2]".
std::string to_string(const OptionValue& value);
/// Formats a value for labels: "ok", "data2xpipeline2", "1,2".
std::string short_text(const OptionValue& value);

}  // namespace ddlbench::bench
