#include "bench/records/tables.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/join.h"
#include "bench/records/csv.h"
#include "bench/records/markdown.h"
#include "bench/records/record_fields.h"

namespace ddlbench::bench {

std::string in_pattern(std::string_view pattern, std::string_view name) {
  std::string text(pattern);
  const auto star = text.find('*');
  return star == std::string::npos ? text : text.replace(star, 1, name);
}

namespace {

std::string cell(Status status) {
  return std::string(name(status));
}

template <class T>
struct Inner {
  using Type = T;
  static const T* of(const T& value) { return &value; }
};
template <class T>
struct Inner<std::optional<T>> {
  using Type = T;
  static const T* of(const std::optional<T>& value) { return value ? &*value : nullptr; }
};

/// A field of a row, with the records that contain it.
struct FieldPath {
  const FieldPath* outer;
  const ResultColumn& column;
  bool filled;

  std::string name() const {
    return outer == nullptr ? std::string(column.name) : in_pattern(outer->name(), column.name);
  }
  std::string help() const { return (outer == nullptr ? "" : outer->help()) + std::string(column.help); }
  std::string_view empty_where() const {
    const std::string_view own = column.presence.empty_where;
    return own.empty() && outer != nullptr ? outer->empty_where() : own;
  }
};

/// A visitor of `fields` that calls `visitor(Place, value)` for each field with columns, including those of nested
/// records.
template <class Visitor>
class Walk {
 public:
  explicit Walk(Visitor& visitor, const FieldPath* outer = nullptr) : visitor_(visitor), outer_(outer) {}

  template <class T>
  void operator()(const char*, const T& value, const ResultColumn& column) {
    using Type = typename Inner<T>::Type;
    if (column.name.empty()) return;
    const bool filled = column.presence.filled && (outer_ == nullptr || outer_->filled);
    if constexpr (requires(Walk & f, Type & t) { fields(f, t); }) {
      static const Type none;
      const Type* inner = Inner<T>::of(value);
      const FieldPath within{outer_, column, filled && inner != nullptr};
      Walk walk(visitor_, &within);
      fields(walk, const_cast<Type&>(inner == nullptr ? none : *inner));  // `fields` takes a reference because it also
                                                                          // serves readers
    } else {
      visitor_(FieldPath{outer_, column, filled}, value);
    }
  }

 private:
  Visitor& visitor_;
  const FieldPath* outer_;
};

template <class Row, class Visitor>
void walk(const Row& row, Visitor visitor) {
  Walk<Visitor> over(visitor);
  fields(over, const_cast<Row&>(row));
}

template <class T>
constexpr bool is_counts = std::is_same_v<T, Counts>;

template <class T>
constexpr std::string_view type_name() {
  if constexpr (is_counts<T>) return "integer";
  if constexpr (std::is_same_v<T, bool>) return "boolean";
  if constexpr (std::is_floating_point_v<T>) return "number";
  return std::is_integral_v<T> ? "integer" : "string";
}

/// Returns whether cells of a field can be empty. A text can be, unless it identifies the row.
template <class T>
bool can_be_empty(const FieldPath& place) {
  const bool is_optional = !std::is_same_v<T, typename Inner<T>::Type>;
  if (is_optional || is_counts<T> || !place.empty_where().empty()) return true;
  return std::is_same_v<T, std::string> && !place.column.name.ends_with("_id");
}

template <class T>
nlohmann::ordered_json json_of(const T* value) {
  if (value == nullptr) return nullptr;
  if constexpr (std::is_same_v<T, Status>) {
    return name(*value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(*value) ? nlohmann::ordered_json(*value) : nullptr;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value->empty() ? nullptr : nlohmann::ordered_json(*value);
  } else if constexpr (!std::is_same_v<T, typename Inner<T>::Type>) {
    return json_of(Inner<T>::of(*value));
  } else {
    return *value;
  }
}

template <class Row>
std::string describe() {
  std::string text =
      "### Columns of " + Table<Row>::file() + "\n\n| column | meaning | empty where |\n| --- | --- | --- |\n";
  for (const ColumnText& column : Table<Row>::columns()) {
    const std::string always =
        joined(column.counted, ", ", [](const std::string& name) { return fmt::format("`{}`", name); });
    const std::string counts =
        column.is_counts ? fmt::format("; always present: {}, others if a plan uses them", always) : "";
    text +=
        fmt::format("| `{}` | {} | {} |\n", column.name, markdown_cell(column.meaning + counts), column.empty_where);
  }
  return text;
}

}  // namespace

template <class Row>
Table<Row>::Table() {
  walk(Row{}, [&]<class T>(const FieldPath& place, const T&) {
    if constexpr (is_counts<T>) counts_.push_back({place.column.counted, {}});
  });
}

template <class Row>
bool Table<Row>::add_columns(const Row& row) {
  bool came = false;
  walk(row, [&, names = counts_.begin()]<class T>(const FieldPath&, const T& value) mutable {
    if constexpr (is_counts<T>) {
      for (const auto& [name, count] : value) {
        const bool is_there = std::find(names->always.begin(), names->always.end(), name) != names->always.end();
        came |= !is_there && names->others.insert(name).second;
      }
      ++names;
    }
  });
  return came;
}

/// Calls `visitor(name, value)` for each cell of a row: `name` returns the column, `value` is null if there is none.
template <class Row>
template <class Visitor>
void Table<Row>::each_cell(const Row& row, Visitor visitor) const {
  walk(row, [&, names = counts_.begin()]<class T>(const FieldPath& place, const T& value) mutable {
    if constexpr (is_counts<T>) {
      const auto visit = [&](const std::string& name) {
        const auto found = value.find(name);
        visitor([&] { return in_pattern(place.name(), name); }, found == value.end() ? nullptr : &found->second);
      };
      for (const std::string& name : names->always) visit(name);
      for (const std::string& name : names->others) visit(name);
      ++names;
    } else {
      visitor([&] { return place.name(); }, place.filled ? &value : nullptr);
    }
  });
}

template <class Row>
std::string Table<Row>::header() const {
  std::vector<std::string> cells;
  each_cell(Row{}, [&](const auto& name, const auto*) { cells.push_back(name()); });
  return csv_line(cells);
}

template <class Row>
std::string Table<Row>::line(const Row& row) const {
  std::vector<std::string> cells;
  each_cell(row, [&](const auto&, const auto* value) { cells.push_back(value == nullptr ? "" : cell(*value)); });
  return csv_line(cells);
}

template <class Row>
nlohmann::ordered_json Table<Row>::object(const Row& row) const {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  each_cell(row, [&](const auto& name, const auto* value) { object[name()] = json_of(value); });
  return object;
}

template <class Row>
std::vector<ColumnText> Table<Row>::columns() {
  std::vector<ColumnText> texts;
  walk(Row{}, [&]<class T>(const FieldPath& place, const T&) {
    texts.push_back({place.name(), place.help(), std::string(place.empty_where()), type_name<typename Inner<T>::Type>(),
                     can_be_empty<T>(place), is_counts<T>, place.column.counted});
  });
  return texts;
}

template <>
std::string_view Table<CaseRow>::name() {
  return "cases";
}
template <>
std::string_view Table<EpochRecord>::name() {
  return "epochs";
}
template <>
std::string_view Table<ValidationRecord>::name() {
  return "validations";
}
template <>
std::string_view Table<RankRecord>::name() {
  return "ranks";
}
template <>
std::string_view Table<UtilisationRecord>::name() {
  return "utilisation";
}
template <>
std::string_view Table<VisitRecord>::name() {
  return "visits";
}

template class Table<CaseRow>;
template class Table<EpochRecord>;
template class Table<ValidationRecord>;
template class Table<RankRecord>;
template class Table<UtilisationRecord>;
template class Table<VisitRecord>;

std::string describe_tables() {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", describe<CaseRow>(), describe<EpochRecord>(),
                     describe<ValidationRecord>(), describe<RankRecord>(), describe<UtilisationRecord>(),
                     describe<VisitRecord>());
}

}  // namespace ddlbench::bench
