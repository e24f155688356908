#pragma once

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

/// The append-only truth of a run. Each line is on the disk when append returns.
class Journal {
 public:
  /// Creates the file, or goes on after its last whole line. Throws InputError.
  explicit Journal(const std::string& path);
  /// Returns the record as a reader gets it: of texts that are no UTF-8, what is none is replaced. Throws InputError,
  /// also where the path names another file meanwhile, or none.
  nlohmann::json append(const JournalEntry& entry);

 private:
  std::string path_;
  File file_;
};

struct JournalContent {
  std::vector<JournalEntry> entries;
  bool torn = false;  ///< the last line was cut off by a crash, and is left out
};

/// Throws InputError naming the line when any but the last is damaged.
JournalContent read_journal(const std::string& path);

}  // namespace ddlbench::bench
