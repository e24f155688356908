#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/option.h"

namespace ddlbench::bench {

struct Kind;

/// One setting of the configuration, or a group of them. Parser, schema and documentation read nothing else.
struct Field {
  enum class Type : std::uint8_t {
    boolean,
    integer,
    number,
    text,
    axes,      ///< an object of mesh axes and their sizes
    integers,  ///< a list of integers, which may be empty
    texts,     ///< a list of strings, each once, which may be empty
    section,   ///< an object of `fields`
    kind,      ///< a name out of `kinds`, or an object with "kind" and that kind's fields
    kinds,     ///< a list of such
  };

  std::string name;
  Type type = Type::section;
  std::string help;
  bool required = false;
  std::optional<OptionValue> default_value;  ///< none: nothing is set where nothing is written
  Range range;                               ///< of numbers, of those of a list, and of the sizes of axes
  std::vector<std::string> choices;          ///< of texts, and of those of a list; empty: any
  bool file_name = false;                    ///< a text that names a folder, too
  bool may_be_empty = false;                 ///< a text; in any case one whose default is empty
  bool sweep = false;                        ///< may be a list: each value gives cases of its own
  bool common = false;                       ///< a setting of every kind, and none that is a kind's own
  std::string noun;                          ///< of kinds, what one is called: "strategy"
  std::vector<Field> fields;
  std::vector<Kind> kinds;

  bool is_list() const { return type == Type::integers || type == Type::texts; }
  Field element() const;  ///< of a list, what each of its values is
  /// "an integer of at least 1, or a list of them"
  std::string wanted() const;
  std::string wanted_kind() const;  ///< "the name of a strategy"
  /// An empty text has a meaning; elsewhere it is a mistake, such as a variable of the shell that is not set.
  bool takes_empty() const;
  const Kind* find_kind(const std::string& kind) const;
};

/// One alternative of a field that is a choice, and the settings that it brings.
struct Kind {
  std::string name;
  std::string help;
  std::vector<Field> fields;
};

const Field* find(const std::vector<Field>& fields, const std::string& name);
std::vector<std::string> names(const std::vector<Field>& fields);
std::vector<std::string> names(const std::vector<Kind>& kinds);

/// The shortest decimal that reads back as the same number.
std::string format_number(double value);
/// A default for a person: "\"ok\"", "0.9", "false", "{}", "[1, 2]".
std::string to_string(const OptionValue& value);
/// As labels have it: "ok", "data2xpipeline2", "1,2".
std::string short_text(const OptionValue& value);

}  // namespace ddlbench::bench
