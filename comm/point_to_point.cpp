#include "comm/point_to_point.h"

#include <cstring>

#include "comm/reduce.h"

namespace ddlbench::comm {

void deliver(const ReceiveTarget& target, const void* message, std::int64_t bytes) {
  if (bytes == 0) return;
  if (!target.operand) {
    std::memcpy(target.data, message, static_cast<std::size_t>(bytes));
    return;
  }
  const std::int64_t count = bytes / static_cast<std::int64_t>(graph::size_of(target.dtype));
  const void* first = target.incoming_first ? message : target.operand;
  const void* second = target.incoming_first ? target.operand : message;
  reduce(target.dtype, target.reduction, target.data, first, second, count);
}

}  // namespace ddlbench::comm
