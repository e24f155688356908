#include "comm/point_to_point.h"

#include <cstring>

#include "comm/reduce.h"

namespace ddlbench::comm {

void land(const Landing& landing, const void* message, std::int64_t bytes) {
  if (bytes == 0) return;
  if (!landing.operand) {
    std::memcpy(landing.data, message, static_cast<std::size_t>(bytes));
    return;
  }
  const std::int64_t count = bytes / static_cast<std::int64_t>(graph::size_of(landing.dtype));
  const void* first = landing.incoming_first ? message : landing.operand;
  const void* second = landing.incoming_first ? landing.operand : message;
  reduce(landing.dtype, landing.reduction, landing.data, first, second, count);
}

}  // namespace ddlbench::comm
