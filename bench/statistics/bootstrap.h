#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace ddlbench::bench {

/// Returns the key of draw() that `seed` determines; different `sample` names draw independently.
std::uint64_t bootstrap_key(std::uint64_t seed, const char* sample = "bootstrap");

/// Draws n times from n values, with replacement, where n is the size of `times`, and sets times[i] to how often value
/// i was drawn. `key` and the number of the resample determine the result.
void draw(std::uint64_t key, std::size_t resample, std::vector<std::uint64_t>& times);

/// Returns the estimates of resamples, sorted: 2000, or fewer (at least 200) if one takes more than 10 000
/// `operations`.
std::vector<double> resampled_estimates(std::size_t operations, const std::function<double(std::size_t)>& estimate);

}  // namespace ddlbench::bench
