#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddlbench::workloads {

/// An idx file of unsigned bytes (yann.lecun.com's format: two zero bytes, a type, the number of
/// dimensions, each dimension as 32 bits big-endian, then the elements), plain or gzip.
struct IdxFile {
  std::string path;
  std::vector<std::int64_t> dimensions;  ///< as the file's header says
  std::vector<std::uint8_t> elements;    ///< of the first `items` items
  std::int64_t items = 0;                ///< read: all, or as many as were asked for
};

/// Reads the first `limit` items (0: all, and then nothing may follow them) of a file of at least
/// `least_rank` dimensions. Throws BadData naming the file and what was found: unreadable, not idx,
/// another type, truncated, corrupt gzip, bytes after the end.
IdxFile read_idx(const std::string& path, int least_rank, std::int64_t limit);

}  // namespace ddlbench::workloads
