#include "bench/records/journal.h"

#include <fcntl.h>
#include <zlib.h>

#include <fmt/core.h>
#include <optional>

#include "base/error.h"
#include "json/parse.h"

namespace ddlbench::bench {

namespace {

using Json = nlohmann::json;

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

}  // namespace

Journal::Journal(const std::string& path) : path_(path), file_(path, O_RDWR | O_CREAT | O_APPEND) {
  const std::string text = read_file(path);
  const auto whole = text.rfind('\n');
  file_.truncate(whole == std::string::npos ? 0 : static_cast<std::int64_t>(whole) + 1);
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

JournalContent read_journal(const std::string& path) {
  const std::string text = read_file(path);
  JournalContent content;
  int line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    ++line_number;
    const auto end = text.find('\n', begin);
    if (end == std::string::npos) {
      content.torn = true;
      break;
    }
    auto entry = parse(text.substr(begin, end - begin));
    if (!entry && end + 1 == text.size()) {
      content.torn = true;
      break;
    }
    if (!entry) {
      throw InputError(
          fmt::format("{}:{}: this line is damaged: its checksum does not match its content", path, line_number));
    }
    content.entries.push_back(std::move(*entry));
    begin = end + 1;
  }
  return content;
}

}  // namespace ddlbench::bench
