#include "bench/launcher/memory_limit.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/units.h"

namespace ddlbench::bench {

MemoryLimit::MemoryLimit(std::int64_t bytes, std::optional<int> most_here, const std::string& root)
    : bytes_(bytes), most_here_(most_here), group_(platform::OwnMemoryGroup::create(bytes, root)) {}

void MemoryLimit::apply(int processes, LaunchCommand& command) const {
  if (group_) command.control_group_file = group_->members();
  if (!group_ || most_here_) command.data_bytes = bytes_ / std::min(processes, most_here_.value_or(processes));
}

std::string MemoryLimit::text() const {
  if (group_)
    return fmt::format("{} for the processes of a case together ({})", format_bytes(bytes_), group_->folder());
  return fmt::format(
      "{} for the processes of a case, in equal parts (RLIMIT_DATA, because this user may not create a control group)",
      format_bytes(bytes_));
}

}  // namespace ddlbench::bench
