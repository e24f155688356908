#include "runtime/checkpoint/match.h"

#include <fmt/core.h>
#include <algorithm>
#include <set>
#include <vector>

#include "base/error.h"
#include "runtime/checkpoint/header_reader.h"

namespace ddlbench::runtime {
namespace {

constexpr std::size_t most_reported = 20;

/// Appends "2 tensors are missing: a, b" to `problems`.
void report(std::string& problems, const std::vector<std::string>& which, const std::string& what) {
  if (which.empty()) return;
  problems += fmt::format("{}{} {}: ", problems.empty() ? "" : "; ", which.size(), what);
  for (std::size_t i = 0; i < std::min(which.size(), most_reported); ++i) problems += (i == 0 ? "" : ", ") + which[i];
  if (which.size() > most_reported) problems += ", …";
}

bool has_prefix(const SafetensorsReader& file, const std::string& prefix) {
  const auto& tensors = file.tensors();
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const StoredTensor& tensor) { return tensor.name.starts_with(prefix); });
}

/// A scalar has no dimensions in files, but one of size 1 here.
graph::Shape shape_of(const StoredTensor& stored) {
  return stored.shape.empty() ? graph::Shape{1} : stored.shape;
}

}  // namespace

std::map<std::string, Match> match(const SafetensorsReader& file, const TensorTypes& wanted,
                                   const graph::FileNames& names) {
  const std::string& prefix = names.optional_prefix;
  const bool bare = !prefix.empty() && !has_prefix(file, prefix);
  std::map<std::string, Match> matches;
  std::set<std::string> used;
  std::vector<std::string> missing, extra, misshapen;
  for (const auto& [tensor, type] : wanted) {
    graph::FileTensor named = names.of(tensor);
    if (bare && named.name.starts_with(prefix)) named.name.erase(0, prefix.size());
    used.insert(named.name);
    const StoredTensor* stored = file.find(named.name);
    if (stored == nullptr) {
      missing.push_back(shown(named.name));
      continue;
    }
    const graph::Shape shape = graph::file_shape(named.layout, type.shape);
    const std::string found =
        fmt::format("{} is {}[{}]", shown(named.name), stored->dtype, graph::to_string(stored->shape));
    if (shape_of(*stored) != shape) {
      misshapen.push_back(fmt::format("{}, not [{}]", found, graph::to_string(shape)));
    } else if (!SafetensorsReader::has_values(*stored)) {
      misshapen.push_back(found + "; only F32, BF16 and F16 can be read");
    }
    matches[tensor] = {*stored, named.layout};
  }
  for (const StoredTensor& stored : file.tensors()) {
    if (used.count(stored.name) == 0 && !names.ignores(stored.name) && !stored.name.ends_with(batches_tracked)) {
      extra.push_back(shown(stored.name));
    }
  }
  std::string problems;
  report(problems, missing, "missing");
  report(problems, extra, "unknown to the model");
  report(problems, misshapen, "of a different shape or type");
  if (!problems.empty()) {
    throw InputError(
        fmt::format("{}: its tensors do not match the {} of the model: {}", file.path(), wanted.size(), problems));
  }
  return matches;
}

}  // namespace ddlbench::runtime
