#include "workloads/nearest.h"

#include <algorithm>
#include <numeric>

namespace ddlbench::workloads {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string unknown_name(const std::string& what, const std::string& asked, const std::vector<std::string>& known) {
  std::string message = "unknown " + what + " '" + asked + "'";
  std::string all;
  const std::string* nearest = nullptr;
  std::size_t least = asked.size() / 2 + 2;
  for (const std::string& name : known) {
    all += (all.empty() ? "" : ", ") + name;
    if (const std::size_t distance = edit_distance(asked, name); distance < least) {
      least = distance;
      nearest = &name;
    }
  }
  if (nearest != nullptr) message += " (did you mean '" + *nearest + "'?)";
  return message + "; there are: " + all;
}

}  // namespace ddlbench::workloads
