#include "bench/records/journal.h"

#include <fcntl.h>
#include <zlib.h>

#include <fmt/core.h>
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "json/parse.h"

namespace ddlbench::bench {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t block_bytes = std::int64_t{1} << 20;
constexpr std::size_t longest_line = std::size_t{16} << 20;  ///< that of a plan of 10,000 cases has less than 1 MiB

/// Returns the text of a record. Keys are sorted and numbers have one format, so equal records have equal texts.
std::string canonical_text(const Json& record) {
  return record.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string checksum(const std::string& kind, const std::string& record) {
  const std::string text = kind + '\n' + record;
  const auto* bytes = reinterpret_cast<const Bytef*>(text.data());
  return fmt::format("{:08x}", crc32(0, bytes, static_cast<uInt>(text.size())));
}

std::string line_of(const std::string& kind, const std::string& record) {
  return fmt::format("{{\"checksum\":\"{}\",\"kind\":{},\"record\":{}}}\n", checksum(kind, record), Json(kind).dump(),
                     record);
}

std::optional<JournalEntry> parse(const std::string& line) {
  Json parsed;
  try {
    parsed = json::parse_whole(line);
  } catch (const InputError&) {
    return std::nullopt;
  }
  if (!parsed.is_object() || !parsed.contains("kind") || !parsed.contains("record") || !parsed.contains("checksum") ||
      !parsed["kind"].is_string()) {
    return std::nullopt;
  }
  JournalEntry entry{parsed["kind"], parsed["record"]};
  if (parsed["checksum"] != checksum(entry.kind, canonical_text(entry.record))) return std::nullopt;
  return entry;
}

/// Takes the text of a journal in blocks.
class JournalReader {
 public:
  JournalReader(std::string path, const JournalVisitor& take) : path_(std::move(path)), take_(take) {}

  void take(std::string_view block) {
    while (!block.empty()) {
      if (last_is_damaged_) {
        throw InputError(
            fmt::format("{}:{}: this line is damaged: its checksum does not match its content", path_, lines_));
      }
      const std::size_t end = block.find('\n');
      const std::size_t taken = end == std::string_view::npos ? block.size() : end + 1;
      line_ += block.substr(0, end);
      bytes_ += static_cast<std::int64_t>(taken);
      if (line_.size() > longest_line) {
        throw InputError(fmt::format("{}:{}: this line is damaged: it has more than the {} bytes that a line may have",
                                     path_, lines_ + 1, longest_line));
      }
      if (end == std::string_view::npos) return;
      end_line();
      block.remove_prefix(taken);
    }
  }

  JournalEnd end() const { return {valid_bytes_, last_is_damaged_ || !line_.empty()}; }

 private:
  void end_line() {
    ++lines_;
    auto entry = parse(line_);
    line_.clear();
    last_is_damaged_ = !entry;
    if (!entry) return;
    take_(std::move(*entry), lines_);
    valid_bytes_ = bytes_;
  }

  std::string path_, line_;
  const JournalVisitor& take_;
  int lines_ = 0;
  std::int64_t bytes_ = 0;        ///< taken
  std::int64_t valid_bytes_ = 0;  ///< of the lines whose entries were taken
  bool last_is_damaged_ = false;  ///< which is an error only if another line follows
};

}  // namespace

Journal::Journal(const std::string& path) : path_(path), file_(path, O_RDWR | O_CREAT | O_APPEND) {
  file_.truncate(visit_journal(path, [](JournalEntry&&, int) {}).bytes);
}

Json Journal::append(const JournalEntry& entry) {
  const std::string record = canonical_text(entry.record);
  write(line_of(entry.kind, record));
  return json::parse_whole(record);
}

void Journal::append_all(const std::vector<JournalEntry>& entries) {
  std::string lines;
  for (const JournalEntry& entry : entries) lines += line_of(entry.kind, canonical_text(entry.record));
  write(lines);
}

void Journal::write(const std::string& lines) {
  file_.write(lines);
  file_.sync();
  if (!file_.is_at(path_)) throw InputError(path_ + ": was removed, renamed or replaced during the run");
}

void Journal::visit(const JournalVisitor& take) const {
  JournalReader reader(path_, take);
  std::string block(static_cast<std::size_t>(block_bytes), '\0');
  std::int64_t at = 0;
  while (const std::size_t got = file_.read(at, block.data(), block.size())) {
    reader.take({block.data(), got});
    at += static_cast<std::int64_t>(got);
  }
}

JournalEnd visit_journal(const std::string& path, const JournalVisitor& take) {
  JournalReader reader(path, take);
  const InputFile file(path);
  std::string block;
  for (std::int64_t at = 0; at < file.bytes(); at += static_cast<std::int64_t>(block.size())) {
    block.resize(static_cast<std::size_t>(std::min(block_bytes, file.bytes() - at)));
    file.read(at, block.data(), static_cast<std::int64_t>(block.size()));
    reader.take(block);
  }
  return reader.end();
}

JournalContent read_journal(const std::string& path) {
  JournalContent content;
  content.end =
      visit_journal(path, [&content](JournalEntry&& entry, int) { content.entries.push_back(std::move(entry)); });
  return content;
}

}  // namespace ddlbench::bench
