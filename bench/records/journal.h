#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/records/file.h"

namespace ddlbench::bench {

/// A line of the journal: {"checksum": CRC-32 of kind and record, "kind": …, "record": {…}}.
struct JournalEntry {
  std::string kind;
  nlohmann::json record;
};

using JournalVisitor = std::function<void(JournalEntry&& entry, int line)>;

/// The append-only primary record of a run. Each line is on disk when append() returns.
class Journal {
 public:
  /// Creates the file, or continues after its last entry: what a crash left behind it is cut off. Throws InputError.
  explicit Journal(const std::string& path);
  /// Appends an entry. Returns its record as a reader will see it, with invalid UTF-8 replaced. Throws InputError, also
  /// if the path no longer names this file.
  nlohmann::json append(const JournalEntry& entry);
  /// Appends several entries in one write.
  void append_all(const std::vector<JournalEntry>& entries);
  /// Reads all entries, even if the path no longer names this file. Throws InputError as visit_journal() does.
  void visit(const JournalVisitor& take) const;

 private:
  void write(const std::string& lines);

  std::string path_;
  File file_;
};

/// Where the entries of a journal end.
struct JournalEnd {
  std::int64_t bytes = 0;  ///< of their lines, from the beginning of the file
  bool torn = false;       ///< whether the last line was cut off by a crash, and is left out
};

/// Reads a journal, entry by entry. Throws InputError that names the line if any line but the last is damaged, or one
/// has more than 16 MiB.
JournalEnd visit_journal(const std::string& path, const JournalVisitor& take);

struct JournalContent {
  std::vector<JournalEntry> entries;
  JournalEnd end;
};

/// Reads a journal as a whole.
JournalContent read_journal(const std::string& path);

}  // namespace ddlbench::bench
