#include "bench/records/tables.h"

#include <fmt/core.h>
#include <algorithm>

#include "bench/records/csv.h"
#include "bench/records/markdown.h"
#include "bench/records/record_fields.h"

namespace ddlbench::bench {

namespace {

std::string cell(Status status) {
  return std::string(name(status));
}

std::string in_pattern(std::string_view pattern, std::string_view name) {
  std::string text(pattern);
  const auto star = text.find('*');
  return star == std::string::npos ? text : text.replace(star, 1, name);
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

template <class Row>
std::string describe(const std::string& file) {
  std::string text = "### Columns of " + file + "\n\n| column | meaning | empty where |\n| --- | --- | --- |\n";
  for (const ColumnText& column : Table<Row>::columns()) {
    text += fmt::format("| `{}` | {} | {} |\n", column.name, markdown_cell(column.meaning), column.empty_where);
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

template <class Row>
std::string Table<Row>::header() const {
  std::vector<std::string> cells;
  walk(Row{}, [&, names = counts_.begin()]<class T>(const FieldPath& place, const T&) mutable {
    if constexpr (is_counts<T>) {
      for (const std::string& name : names->always) cells.push_back(in_pattern(place.name(), name));
      for (const std::string& name : names->others) cells.push_back(in_pattern(place.name(), name));
      ++names;
    } else {
      cells.push_back(place.name());
    }
  });
  return csv_line(cells);
}

template <class Row>
std::string Table<Row>::line(const Row& row) const {
  std::vector<std::string> cells;
  walk(row, [&, names = counts_.begin()]<class T>(const FieldPath& place, const T& value) mutable {
    if constexpr (is_counts<T>) {
      const auto count_of = [&](const std::string& name) {
        const auto found = value.find(name);
        return found == value.end() ? std::string() : cell(found->second);
      };
      for (const std::string& name : names->always) cells.push_back(count_of(name));
      for (const std::string& name : names->others) cells.push_back(count_of(name));
      ++names;
    } else {
      cells.push_back(place.filled ? cell(value) : std::string());
    }
  });
  return csv_line(cells);
}

template <class Row>
std::vector<ColumnText> Table<Row>::columns() {
  std::vector<ColumnText> texts;
  walk(Row{}, [&]<class T>(const FieldPath& place, const T&) {
    ColumnText text{place.name(), place.help(), std::string(place.empty_where())};
    if constexpr (is_counts<T>) {
      text.meaning += "; always present:";
      for (const std::string& name : place.column.counted)
        text.meaning += fmt::format("{}{}`", &name == &place.column.counted.front() ? " `" : ", `", name);
      text.meaning += ", others if a plan uses them";
    }
    texts.push_back(std::move(text));
  });
  return texts;
}

template class Table<CaseRow>;
template class Table<EpochRecord>;
template class Table<ValidationRecord>;
template class Table<RankRecord>;
template class Table<UtilisationRecord>;
template class Table<VisitRecord>;

std::string describe_tables() {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", describe<CaseRow>("cases.csv"), describe<EpochRecord>("epochs.csv"),
                     describe<ValidationRecord>("validations.csv"), describe<RankRecord>("ranks.csv"),
                     describe<UtilisationRecord>("utilisation.csv"), describe<VisitRecord>("visits.csv"));
}

}  // namespace ddlbench::bench
