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

/// Returns the longest beginning, up to a full stop, that all names in the file have: "module.". Empty if there is
/// none.
std::string common_prefix(const SafetensorsReader& file) {
  if (file.tensors().empty()) return "";
  std::string prefix = file.tensors().front().name;
  for (const StoredTensor& tensor : file.tensors()) {
    const auto differs = std::mismatch(prefix.begin(), prefix.end(), tensor.name.begin(), tensor.name.end()).first;
    prefix.erase(differs, prefix.end());
  }
  return prefix.substr(0, prefix.rfind('.') + 1);  // npos + 1 is 0
}

/// Returns what to do if the names in the file differ from those that are missing only by a prefix that all of them
/// have; empty if they do not.
std::string advice_on_prefix(const SafetensorsReader& file, const std::vector<std::string>& missing) {
  for (std::string prefix = common_prefix(file); !prefix.empty();) {
    const bool explains = std::any_of(missing.begin(), missing.end(),
                                      [&](const std::string& name) { return file.find(prefix + name) != nullptr; });
    if (explains) {
      return fmt::format("; all names in the file begin with {0}: set training/checkpoint/strip_prefix to {0}",
                         shown(prefix));
    }
    prefix.pop_back();
    prefix.erase(prefix.rfind('.') + 1);
  }
  return "";
}

void require_prefix(const SafetensorsReader& file, const std::string& prefix) {
  if (prefix.empty() || has_prefix(file, prefix) || file.tensors().empty()) return;
  throw InputError(
      fmt::format("{}: no name in the file begins with {}, the value of training/checkpoint/strip_prefix; "
                  "the names are such as {}",
                  file.path(), shown(prefix), shown(file.tensors().front().name)));
}

/// A scalar has no dimensions in files, but one of size 1 here.
graph::Shape shape_of(const StoredTensor& stored) {
  return stored.shape.empty() ? graph::Shape{1} : stored.shape;
}

}  // namespace

std::map<std::string, Match> match(const SafetensorsReader& file, const TensorTypes& wanted,
                                   const graph::FileNames& names) {
  require_prefix(file, names.strip_prefix);
  const std::string& prefix = names.optional_prefix;
  const bool bare = !prefix.empty() && !has_prefix(file, names.strip_prefix + prefix);
  std::map<std::string, Match> matches;
  std::set<std::string> used;
  std::vector<std::string> missing, missing_names, extra, misshapen;
  for (const auto& [tensor, type] : wanted) {
    graph::FileTensor named = names.of(tensor);
    if (bare && named.name.starts_with(prefix)) named.name.erase(0, prefix.size());
    named.name.insert(0, names.strip_prefix);
    used.insert(named.name);
    const StoredTensor* stored = file.find(named.name);
    if (stored == nullptr) {
      missing.push_back(shown(named.name));
      missing_names.push_back(named.name);
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
    throw InputError(fmt::format("{}: its tensors do not match the {} of the model: {}{}", file.path(), wanted.size(),
                                 problems, advice_on_prefix(file, missing_names)));
  }
  return matches;
}

}  // namespace ddlbench::runtime
