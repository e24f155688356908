#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bench/config/axis_value.h"

namespace ddlbench::bench {

/// The settings whose lists advance together, in groups of JSON pointers of settings (see AxisValue). All lists of a
/// group have the same length.
class Zips {
 public:
  static constexpr int none = -1;

  Zips() = default;
  explicit Zips(const std::vector<std::vector<std::string>>& groups);

  std::size_t count() const { return count_; }
  int group_of(const std::string& setting) const;  ///< `none` if it is in no group

  /// By group: which values of its lists are chosen; `none` if no setting of the group has a list.
  using Places = std::vector<int>;
  Places places_of(const std::vector<AxisValue>& axes) const;

  /// Adds `more` to `places`. Returns false if the two contradict each other.
  static bool join(Places& places, const Places& more);
  /// The same for the value at `index` of a list of `size` values. A single value goes with all others.
  bool join(Places& places, const std::string& setting, std::size_t size, std::size_t index) const;

 private:
  std::map<std::string, int> groups_;
  std::size_t count_ = 0;
};

}  // namespace ddlbench::bench
