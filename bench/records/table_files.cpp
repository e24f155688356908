#include "bench/records/table_files.h"

#include <fcntl.h>

#include <filesystem>

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
void GrowingTable<Row>::update(const std::vector<Row>& rows) {
  for (std::size_t i = written_; i < rows.size(); ++i) {
    if (table_.add_columns(rows[i])) mark_rows_changed();
  }
  const bool whole = bytes_ < 0 || bytes_of(path_) != bytes_;
  std::string text = whole ? table_.header() : "";
  for (std::size_t i = whole ? 0 : written_; i < rows.size(); ++i) text += table_.line(rows[i]);
  if (whole) {
    mark_rows_changed();
    write_file_atomically(path_, text);
    bytes_ = 0;
  } else if (!text.empty()) {
    append(path_, bytes_, text);
  }
  bytes_ += static_cast<std::int64_t>(text.size());
  written_ = rows.size();
}

template class GrowingTable<CaseRow>;
template class GrowingTable<EpochRecord>;
template class GrowingTable<ValidationRecord>;
template class GrowingTable<RankRecord>;
template class GrowingTable<UtilisationRecord>;
template class GrowingTable<VisitRecord>;

void CaseTable::update(const Records& records) {
  if (timed_.update(records)) {
    rows_.clear();
    table_.mark_rows_changed();
  }
  const std::vector<CaseRecord>& cases = timed_.cases();
  const std::vector<Comparison> comparisons = compare(cases, timed_.verdicts());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].comparison == comparisons[i]) continue;
    rows_[i].comparison = comparisons[i];
    table_.mark_rows_changed();
  }
  for (std::size_t i = rows_.size(); i < cases.size(); ++i) rows_.push_back({cases[i], comparisons[i]});
  table_.update(rows_);
}

TableFiles::TableFiles(const std::string& folder)
    : cases_(folder), epochs_(folder), validations_(folder), ranks_(folder), utilisation_(folder), visits_(folder) {}

void TableFiles::update(const Records& records) {
  cases_.update(records);
  epochs_.update(records.epochs);
  validations_.update(records.validations);
  utilisation_.update(records.utilisation);
  ranks_.update(records.ranks);
  visits_.update(records.visits);
}

}  // namespace ddlbench::bench
