#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddlbench::workloads {

/// An idx file of unsigned bytes, plain or gzip. The format (yann.lecun.com): two zero bytes, a type, the number of
/// dimensions, each dimension as 32 bits big-endian, then the elements.
struct IdxFile {
  std::string path;
  std::vector<std::int64_t> dimensions;  ///< from the file's header
  std::vector<std::uint8_t> elements;    ///< of the first `items` items
  std::int64_t items = 0;                ///< items read: all, or as many as requested
};

/// Reads the first `limit` items of a file of at least `least_rank` dimensions; 0 reads all, and nothing may follow
/// them. Throws BadData that names the file and what was found: unreadable, not idx, another type, truncated, corrupt
/// gzip, bytes after the end.
IdxFile read_idx(const std::string& path, int least_rank, std::int64_t limit);

}  // namespace ddlbench::workloads
