#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ddlbench::test {

/// An Event of TensorBoard, as far as ddlbench writes it.
struct ReadEvent {
  double wall_seconds = 0;
  std::int64_t step = 0;
  std::string version;
  std::map<std::string, float> scalars;
};

/// Reads an event file. Throws std::runtime_error if a record is cut off, a checksum does not match (calculated bit by
/// bit), or a field is not one of those above.
std::vector<ReadEvent> read_events(std::string_view file);

}  // namespace ddlbench::test
