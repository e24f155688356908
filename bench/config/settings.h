#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "bench/config/field.h"
#include "bench/config/option_fields.h"
#include "bench/config/registries.h"
#include "bench/config/resolve.h"

/// How a section of the configuration describes itself. Each setting is a member of a struct and one line of
/// `describe`:
///
///   struct Training {
///     std::int64_t epochs = 1;
///     …
///   };
///   template <class Visitor>
///   void describe(Visitor& v, Training& t) {
///     v("epochs", t.epochs, Range{1, 100000}, "Passes over the training samples.");
///
/// The order of the lines is that of resolved configurations, the schema and the documentation. The type of the member
/// determines the rest:
///   bool, an integer, a float        a value; the member's initializer is the default
///   std::string                      the same; an empty one has no default
///   std::optional                    no default
///   std::vector of numbers           a sweep: a value or a list of values; required if the vector is empty
///   Choice                           a name, or an object with "kind" and that kind's options; required without a kind
///   a struct that describes itself   a section
/// A Range, words({…}), names(from, more…) or one_of(noun, from) may stand between member and help. `from` takes the
/// Registries, or no argument, and returns names or entries with name, help and options.
///   v.sweep(…)      may also be a list, each element of which gives an experiment of its own; one is read at a time
///                   (see axes.h)
///   v.instead_of(name, …)  a vector that is written instead of the required setting `name`
///   v.list(…)       a list of choices, each a struct with a `choice` and a description of the settings that all share
///   v.file_name(…)  a required text that is valid as the name of a folder
///   v.groups(…)     a list of lists of names of settings
///   v.rules(…)      a list of objects from names of settings to values, read as JSON texts
namespace ddlbench::bench {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_sweep = false;
template <class T>
inline constexpr bool is_sweep<std::vector<T>> = true;

/// A visitor that builds the table of a section from its description.
class FieldMaker {
 public:
  explicit FieldMaker(const Registries& registries) : registries_(registries) {}

  struct Kinds {
    std::string noun;
    std::vector<Kind> kinds;
  };

  template <class From>
  Kinds one_of(const char* noun, const From& from) const {
    return {noun, kinds_of(call(from))};
  }
  template <class From, class... More>
  std::vector<std::string> names(const From& from, const More&... more) const {
    std::vector<std::string> all;
    for (const auto& one : call(from)) all.push_back(name_of(one));
    (all.emplace_back(more), ...);
    return all;
  }
  static std::vector<std::string> choices(std::vector<std::string> all) { return all; }

  void operator()(const char* name, auto& member, const auto& rule, std::string_view help) {
    apply(rule, add(name, member, help));
  }
  void operator()(const char* name, auto& member, std::string_view help) { add(name, member, help); }
  template <class Member, class... Rest>
  void sweep(const char* name, Member& member, const Rest&... rest) {
    (*this)(name, member, rest...);
    fields_.back().sweep = true;
  }
  template <class Member, class... Rest>
  void instead_of(const char* required, const char* name, Member& member, const Rest&... rest) {
    (*this)(name, member, rest...);
    fields_.back().required = false;
    fields_.back().instead_of = required;
  }
  void groups(const char* name, std::vector<Strings>&, std::string_view help) {
    fields_.push_back(field(name, Field::Type::groups, help));
  }
  void rules(const char* name, Strings&, std::string_view help) {
    fields_.push_back(field(name, Field::Type::rules, help));
  }
  template <class Entry>
  void list(const char* name, std::vector<Entry>&, const Kinds& kinds, std::string_view help) {
    Entry entry;
    FieldMaker common(registries_);
    describe(common, entry);
    Field made = field(name, Field::Type::kinds, help);
    made.required = true;
    apply(kinds, made);
    for (Kind& kind : made.kinds)
      for (const Field& one : common.fields_) kind.fields.emplace_back(one).common = true;
    fields_.push_back(std::move(made));
  }
  void file_name(const char* name, std::string&, std::string_view help) {
    Field& made = fields_.emplace_back(field(name, Field::Type::text, help));
    made.required = made.file_name = true;
  }

  std::vector<Field> take() { return std::move(fields_); }

 private:
  static Field field(const char* name, Field::Type type, std::string_view help) {
    Field made;
    made.name = name;
    made.type = type;
    made.help = std::string(help);
    return made;
  }

  static const std::string& name_of(const std::string& name) { return name; }
  static const std::string& name_of(const auto& entry) { return entry.name; }

  template <class From>
  auto call(const From& from) const {
    if constexpr (std::is_invocable_v<From>)
      return from();
    else
      return from(registries_);
  }

  template <class Member>
  Field& add(const char* name, Member& member, std::string_view help) {
    Field& made = fields_.emplace_back(field(name, Field::Type::section, help));
    fill(made, member);
    return made;
  }

  template <class Member>
  void fill(Field& made, Member& member) {
    if constexpr (std::same_as<Member, bool>) {
      made.type = Field::Type::boolean;
      made.default_value = member;
    } else if constexpr (std::integral<Member>) {
      made.type = Field::Type::integer;
      made.default_value = static_cast<std::int64_t>(member);
    } else if constexpr (std::floating_point<Member>) {
      made.type = Field::Type::number;
      made.default_value = member;
    } else if constexpr (std::same_as<Member, std::string>) {
      made.type = Field::Type::text;
      if (!member.empty()) made.default_value = member;
    } else if constexpr (std::same_as<Member, Choice>) {
      made.type = Field::Type::kind;
      made.required = member.kind.empty();
      if (!made.required) made.default_value = member.kind;
    } else if constexpr (is_optional<Member>) {
      typename Member::value_type value{};
      fill(made, value);
      made.default_value.reset();
      made.required = false;
    } else if constexpr (is_sweep<Member>) {
      typename Member::value_type value = member.empty() ? typename Member::value_type{} : member.front();
      fill(made, value);
      made.sweep = made.each_case = true;
      made.required = member.empty();
      if (made.required) made.default_value.reset();
    } else {
      FieldMaker inner(registries_);
      describe(inner, member);
      made.fields = inner.take();
    }
  }

  static void apply(const Range& range, Field& made) { made.range = range; }
  static void apply(const std::vector<std::string>& choices, Field& made) { made.choices = choices; }
  static void apply(const Kinds& kinds, Field& made) {
    made.noun = kinds.noun;
    made.kinds = kinds.kinds;
  }

  const Registries& registries_;
  std::vector<Field> fields_;
};

/// A visitor that fills a section from resolved JSON (see resolve()), which has every setting that has a default.
class SettingsReader {
 public:
  using Json = nlohmann::ordered_json;
  /// `fields` is the section's table.
  SettingsReader(const Json& section, const std::vector<Field>& fields) : section_(section), fields_(fields) {}

  struct Nothing {};
  template <class From>
  Nothing one_of(const char*, const From&) const {
    return {};
  }
  template <class From, class... More>
  Nothing names(const From&, const More&...) const {
    return {};
  }
  static Nothing choices(std::initializer_list<const char*>) { return {}; }

  template <class Member, class Rule>
  void operator()(const char* name, Member& member, const Rule&, std::string_view) {
    read(name, member);
  }
  void operator()(const char* name, auto& member, std::string_view) { read(name, member); }
  template <class Member, class... Rest>
  void sweep(const char* name, Member& member, const Rest&...) {
    read(name, member);
  }
  template <class Member, class... Rest>
  void instead_of(const char*, const char* name, Member& member, const Rest&...) {
    read(name, member);
  }
  void groups(const char* name, std::vector<Strings>& groups, std::string_view) {
    if (const auto found = section_.find(name); found != section_.end()) found->get_to(groups);
  }
  void rules(const char* name, Strings& rules, std::string_view) {
    const auto found = section_.find(name);
    if (found == section_.end()) return;
    for (const Json& one : *found) rules.push_back(one.dump());
  }
  template <class Entry>
  void list(const char* name, std::vector<Entry>& entries, Nothing, std::string_view) {
    const Field& table = field(name);
    entries.clear();
    for (const Json& one : section_.at(name)) {
      Entry& entry = entries.emplace_back();
      entry.choice = to_choice(one, table);
      SettingsReader common(one, table.kind_named(entry.choice.kind).fields);
      describe(common, entry);
    }
  }
  void file_name(const char* name, std::string& member, std::string_view) { read(name, member); }

 private:
  const Field& field(const char* name) const {
    const Field* found = find(fields_, name);
    require(found != nullptr, std::string("the table has no setting ") + name);
    return *found;
  }

  void read(const char* name, auto& member) {
    if (const auto found = section_.find(name); found != section_.end()) read(*found, member, name);
  }

  template <class Member>
  void read(const Json& value, Member& member, const char* name) {
    if constexpr (std::same_as<Member, Choice>) {
      member = to_choice(value, field(name));
    } else if constexpr (is_optional<Member>) {
      read(value, member.emplace(), name);
    } else if constexpr (is_sweep<Member>) {
      if (value.is_array())
        value.get_to(member);
      else
        member = {value.get<typename Member::value_type>()};
    } else if constexpr (std::is_arithmetic_v<Member> || std::same_as<Member, std::string>) {
      value.get_to(member);
    } else {
      SettingsReader inner(value, field(name).fields);
      describe(inner, member);
    }
  }

  const Json& section_;
  const std::vector<Field>& fields_;
};

}  // namespace ddlbench::bench
