#include "bench/slurm/job_end.h"

#include <fmt/core.h>
#include <charconv>

namespace ddlbench::bench {

JobEnd job_end(const Environment& environment, std::int64_t now) {
  constexpr std::int64_t century = std::int64_t{36525} * 86400;
  const auto text = environment("SLURM_JOB_END_TIME");
  if (!text) return {};
  std::int64_t end = 0;
  const auto [behind, error] = std::from_chars(text->data(), text->data() + text->size(), end);
  const bool is_number = error == std::errc{} && behind == text->data() + text->size();
  const auto ignored = [&](const char* why) {
    return JobEnd{{},
                  fmt::format("SLURM_JOB_END_TIME={} is ignored, because it is {}: this run has no time limit; "
                              "--time-limit sets one",
                              *text, why)};
  };
  if (!is_number || end < 0 || end > now + century) return ignored("not a time in seconds since 1970");
  if (end <= now) return ignored("in the past");
  return {static_cast<double>(end - now), ""};
}

}  // namespace ddlbench::bench
