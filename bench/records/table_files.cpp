#include "bench/records/table_files.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "bench/records/comparison.h"
#include "bench/records/file.h"

namespace ddlbench::bench {

namespace {

/// Returns the size of a file, or −1 if there is none.
std::int64_t bytes_of(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return error ? -1 : static_cast<std::int64_t>(bytes);
}

void append(const std::string& path, std::int64_t bytes, const std::string& text) {
  File file(path, O_WRONLY | O_APPEND);
  try {
    file.write(text);
    file.sync();
  } catch (const InputError&) {
    try {
      file.truncate(bytes);
    } catch (const InputError&) {  // the first error says more
    }
    throw;
  }
}

}  // namespace

template <class Row>
bool GrowingTable<Row>::add_columns(const Rows<Row>& rows) {
  bool any = false;
  for (std::size_t i = 0; i < rows.count; ++i) any |= table_.add_columns(rows.at(i));
  return any;
}

template <class Row>
std::string GrowingTable<Row>::lines(const Rows<Row>& rows) const {
  std::string text;
  for (std::size_t i = 0; i < rows.count; ++i) text += table_.line(rows.at(i));
  return text;
}

template <class Row>
bool GrowingTable<Row>::append(const Rows<Row>& rows) {
  if (add_columns(rows) || bytes_ < 0 || bytes_of(path_) != bytes_) return false;
  const std::string text = lines(rows);
  if (!text.empty()) ddlbench::bench::append(path_, bytes_, text);
  bytes_ += static_cast<std::int64_t>(text.size());
  return true;
}

template <class Row>
void GrowingTable<Row>::replace(const Rows<Row>& rows) {
  add_columns(rows);
  const std::string text = table_.header() + lines(rows);
  bytes_ = -1;
  write_file_atomically(path_, text);
  bytes_ = static_cast<std::int64_t>(text.size());
}

template class GrowingTable<CaseRow>;
template class GrowingTable<EpochRecord>;
template class GrowingTable<ValidationRecord>;
template class GrowingTable<RankRecord>;
template class GrowingTable<UtilisationRecord>;
template class GrowingTable<VisitRecord>;

void CaseTable::update(const Records& records) {
  const bool rounds_changed = timed_.update(records);
  const std::vector<CaseRecord>& cases = timed_.cases();
  std::vector<Comparison> comparisons = compare(cases, timed_.verdicts());
  const std::size_t in_file = comparisons_.size();
  const bool others_changed = !std::equal(comparisons_.begin(), comparisons_.end(), comparisons.begin());
  comparisons_ = std::move(comparisons);
  const auto rows_from = [&](std::size_t first) {
    return Rows<CaseRow>(cases.size() - first, [&cases, this, first](std::size_t i) {
      return CaseRow{cases[first + i], comparisons_[first + i]};
    });
  };
  if (rounds_changed || others_changed || !table_.append(rows_from(in_file))) table_.replace(rows_from(0));
}

TableFiles::TableFiles(const std::string& folder)
    : folder_(folder),
      cases_(folder),
      epochs_(folder),
      validations_(folder),
      ranks_(folder),
      utilisation_(folder),
      visits_(folder) {}

void TableFiles::replace(const Records& records) {
  cases_.update(records);
  epochs_.replace(records.epochs);
  validations_.replace(records.validations);
  ranks_.replace(records.ranks);
  utilisation_.replace(records.utilisation);
  visits_.replace(records.visits);
  visits_written_ = records.visits.size();
}

void TableFiles::forget_cases() {
  cases_ = CaseTable(folder_);
  visits_ = GrowingTable<VisitRecord>(folder_);
  visits_written_ = 0;
}

void TableFiles::update(const Records& records, const std::function<Records()>& read_all) {
  std::optional<Records> all;
  const auto update = [&](auto& table, auto rows, std::size_t written = 0) {
    if (table.append({records.*rows, written})) return;
    if (!all) all = read_all();
    table.replace((*all).*rows);
  };
  cases_.update(records);
  update(epochs_, &Records::epochs);
  update(validations_, &Records::validations);
  update(ranks_, &Records::ranks);
  update(utilisation_, &Records::utilisation);
  update(visits_, &Records::visits, visits_written_);
  visits_written_ = records.visits.size();
}

}  // namespace ddlbench::bench
