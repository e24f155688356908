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
bool GrowingTable<Row>::fits(const Rows<Row>& rows) {
  const bool is_as_left = bytes_ >= 0 && bytes_of(path_) == bytes_;
  if (!is_as_left || add_columns(rows)) bytes_ = -1;
  return bytes_ >= 0;
}

template <class Row>
bool GrowingTable<Row>::append(const Rows<Row>& rows) {
  if (!fits(rows) || !is_valid_) return false;
  const std::string text = lines(rows);
  if (!text.empty()) ddlbench::bench::append(path_, bytes_, text);
  bytes_ += static_cast<std::int64_t>(text.size());
  return true;
}

template <class Row>
bool GrowingTable<Row>::replace_unsettled(const Rows<Row>& rows) {
  if (!fits(rows)) return false;
  const std::string text = lines(rows);
  bytes_ = -1;
  replace_after(path_, settled_bytes_, text);
  bytes_ = settled_bytes_ + static_cast<std::int64_t>(text.size());
  is_valid_ = true;
  return true;
}

template <class Row>
void GrowingTable<Row>::replace(const Rows<Row>& rows) {
  add_columns(rows);
  const std::string header = table_.header(), text = header + lines(rows);
  bytes_ = -1;
  write_file_atomically(path_, text);
  bytes_ = static_cast<std::int64_t>(text.size());
  settled_bytes_ = static_cast<std::int64_t>(header.size());
  is_valid_ = true;
}

template class GrowingTable<CaseRow>;
template class GrowingTable<EpochRecord>;
template class GrowingTable<ValidationRecord>;
template class GrowingTable<RankRecord>;
template class GrowingTable<UtilisationRecord>;
template class GrowingTable<VisitRecord>;

namespace {

Rows<CaseRow> rows_of(const std::vector<CaseRecord>& cases, const std::vector<Comparison>& comparisons,
                      std::size_t begin, std::size_t end) {
  return {end - begin, [&cases, &comparisons, begin](std::size_t i) {
            return CaseRow{cases[begin + i], comparisons[begin + i]};
          }};
}

}  // namespace

void CaseTable::update(const Records& records, const std::function<const Records&()>& read_all) {
  const bool rounds_changed = timed_.update(records);
  const std::vector<CaseRecord>& cases = timed_.cases();
  std::vector<Comparison> comparisons = compare(cases, timed_.verdicts());
  const std::size_t in_file = comparisons_.size();
  const bool others_changed = !std::equal(comparisons_.begin(), comparisons_.end(), comparisons.begin());
  comparisons_ = std::move(comparisons);
  if (rounds_changed || others_changed) table_.invalidate();
  if (table_.append(rows_of(cases, comparisons_, in_file, cases.size()))) return;
  if (table_.replace_unsettled(rows_of(cases, comparisons_, 0, cases.size()))) return;
  replace(read_all(), records);
}

void CaseTable::replace(const Records& all, const Records& unsettled) {
  TimedCases timed(all);
  std::vector<Comparison> comparisons = compare(timed.cases(), timed.verdicts());
  const std::size_t settled = all.cases.size() - unsettled.cases.size();
  table_.replace(rows_of(timed.cases(), comparisons, 0, comparisons.size()));
  table_.settle(rows_of(timed.cases(), comparisons, 0, settled));
  comparisons.erase(comparisons.begin(), comparisons.begin() + static_cast<std::ptrdiff_t>(settled));
  comparisons_ = std::move(comparisons);
  timed_ = settled == 0 ? std::move(timed) : TimedCases(unsettled);
}

void CaseTable::settle_first(std::size_t count, const Records& remaining) {
  table_.settle(rows_of(timed_.cases(), comparisons_, 0, count));
  comparisons_.erase(comparisons_.begin(), comparisons_.begin() + static_cast<std::ptrdiff_t>(count));
  timed_ = TimedCases(remaining);
}

void CaseTable::forget_unsettled() {
  table_.invalidate();
  comparisons_.clear();
  timed_ = {};
}

TableFiles::TableFiles(const std::string& folder)
    : folder_(folder),
      cases_(folder),
      epochs_(folder),
      validations_(folder),
      ranks_(folder),
      utilisation_(folder),
      visits_(folder) {}

void TableFiles::replace(const Records& all, const Records& unsettled) {
  cases_.replace(all, unsettled);
  epochs_.replace(all.epochs);
  validations_.replace(all.validations);
  ranks_.replace(all.ranks);
  utilisation_.replace(all.utilisation);
  visits_.replace(all.visits);
  visits_written_ = unsettled.visits.size();
}

void TableFiles::settle_first(std::size_t count, const Records& remaining) {
  cases_.settle_first(count, remaining);
  visits_written_ = remaining.visits.size();
}

void TableFiles::forget_cases() {
  cases_.forget_unsettled();
  visits_ = GrowingTable<VisitRecord>(folder_);
  visits_written_ = 0;
}

void TableFiles::update(const Records& records, const std::function<Records()>& read_all) {
  std::optional<Records> read;
  const auto all = [&]() -> const Records& {
    if (!read) read = read_all();
    return *read;
  };
  const auto update = [&](auto& table, auto rows, std::size_t written = 0) {
    if (!table.append({records.*rows, written})) table.replace(all().*rows);
  };
  cases_.update(records, all);
  update(epochs_, &Records::epochs);
  update(validations_, &Records::validations);
  update(ranks_, &Records::ranks);
  update(utilisation_, &Records::utilisation);
  update(visits_, &Records::visits, visits_written_);
  visits_written_ = records.visits.size();
}

}  // namespace ddlbench::bench
