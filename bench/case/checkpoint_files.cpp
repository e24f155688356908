#include "bench/case/checkpoint_files.h"

#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/error.h"
#include "bench/case/checkpoints.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/contents.h"

namespace ddlbench::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view extension = ".safetensors";
constexpr std::string_view state_extension = ".state.safetensors";
constexpr const char* by_epoch = "-epoch-";
constexpr const char* by_step = "-step-";

std::string path_of(const std::string& folder, const std::string& case_id, const char* counted, std::int64_t done) {
  return fmt::format("{}/{}{}{}{}", folder, case_id, counted, done, extension);
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) names.insert(entry.path().filename());
  return names;
}

/// Returns those of `names` that are files of this case, of this kind, counted so.
std::vector<std::string> names_of(const std::set<std::string>& names, const std::string& case_id, const char* counted,
                                  runtime::File kind) {
  const std::string begin = case_id + counted;
  const std::string_view end = kind == runtime::File::weights ? extension : state_extension;
  std::vector<std::string> found;
  for (auto name = names.lower_bound(begin); name != names.end() && name->starts_with(begin); ++name) {
    if (name->size() <= begin.size() + end.size() || !name->ends_with(end)) continue;
    const std::string number = name->substr(begin.size(), name->size() - begin.size() - end.size());
    if (number.find_first_not_of("0123456789") == std::string::npos) found.push_back(*name);
  }
  return found;
}

/// Returns the existing files that the case may overwrite or remove when it saves after epoch `first` or a later one.
std::vector<std::string> in_the_way(const Training& training, const Case& which, std::int64_t first,
                                    const std::set<std::string>& names) {
  const std::string& folder = training.checkpoint.save;
  std::vector<std::string> paths;
  for (std::int64_t epoch = first; epoch <= training.epochs; ++epoch) {
    if (!training.stop_at_target && !is_scheduled(training, epoch)) continue;
    const std::string path = epoch_file(folder, which.id, epoch);
    if (names.count(fs::path(path).filename()) > 0) paths.push_back(path);
  }
  for (const std::string& name : names_of(names, which.id, by_step, runtime::File::weights))
    paths.push_back(folder + "/" + name);
  return paths;
}

void require_own(const Training& training, const Case& which, std::int64_t done, const std::set<std::string>& names) {
  std::error_code none;
  for (const std::string& path : in_the_way(training, which, done + 1, names)) {
    if (training.checkpoint.resume && fs::equivalent(path, training.checkpoint.load, none)) continue;
    std::string contract;
    try {
      contract = runtime::origin_of(path).contract_id;
    } catch (const InputError&) {  // an unreadable file was not written by this case
    }
    if (contract == which.contract_id) continue;
    throw InputError(
        fmt::format("{} is from another training, and {} would overwrite it; name another folder in "
                    "training/checkpoint/save, or move it away",
                    path, which.id));
  }
}

/// A checkpoint whose metadata are valid.
struct Candidate {
  std::string path;
  runtime::Origin origin;
};

bool is_newer(const Candidate& one, const Candidate& other) {
  if (one.origin.step != other.origin.step) return one.origin.step > other.origin.step;
  return one.origin.epoch > other.origin.epoch;
}

}  // namespace

std::string epoch_file(const std::string& folder, const std::string& case_id, std::int64_t epochs) {
  return path_of(folder, case_id, by_epoch, epochs);
}

std::string step_file(const std::string& folder, const std::string& case_id, std::int64_t steps) {
  return path_of(folder, case_id, by_step, steps);
}

void require_checkpoint_folder(const CheckpointSettings& checkpoint) {
  if (checkpoint.save.empty()) return;
  std::error_code error;
  fs::path there = fs::absolute(checkpoint.save, error);
  while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  const std::string what = "the folder for checkpoints, " + checkpoint.save + ", cannot be ";
  if (!fs::is_directory(there, error))
    throw InputError(fmt::format("{}created: {} is not a folder", what, there.string()));
  if (::access(there.c_str(), W_OK | X_OK) != 0)
    throw InputError(fmt::format("{}written to: {}: {}", what, there.string(), std::strerror(errno)));
}

void require_own_checkpoints(const Experiment& experiment, const std::vector<Case>& cases) {
  const Training& training = experiment.training;
  if (training.checkpoint.save.empty() || !experiment.trains()) return;
  std::int64_t done = 0;
  try {
    if (training.checkpoint.resume) done = runtime::origin_of(training.checkpoint.load).epoch;
  } catch (const InputError&) {  // the case itself reports this error
    return;
  }
  const std::set<std::string> names = names_in(training.checkpoint.save);
  for (const Case& which : cases) require_own(training, which, done, names);
}

void make_checkpoint_folder(const CheckpointSettings& checkpoint) {
  if (checkpoint.save.empty()) return;
  std::error_code error;
  fs::create_directories(checkpoint.save, error);
  if (!error && fs::is_directory(checkpoint.save)) return;
  throw InputError(fmt::format("the folder for checkpoints, {}, cannot be created{}", checkpoint.save,
                               error ? ": " + error.message() : ": a file is in its place"));
}

void remove_step_files(const std::string& folder, const Case& which, const std::string& kept) {
  const std::set<std::string> names = names_in(folder);
  for (const runtime::File kind :
       {runtime::File::weights, runtime::File::state}) {  // weights without their state would look like a checkpoint
    for (const std::string& name : names_of(names, which.id, by_step, kind)) {
      const std::string path = folder + "/" + name;
      if (path == kept || path == runtime::state_path(kept)) continue;
      try {
        const runtime::SafetensorsReader file(path);
        if (runtime::origin_from(file.metadata(), path).contract_id != which.contract_id) continue;
      } catch (const InputError&) {  // not written by this case
        continue;
      }
      std::error_code ignored;
      fs::remove(path, ignored);
    }
  }
}

std::int64_t epochs_before(const CheckpointSettings& checkpoint) {
  return checkpoint.resume ? runtime::origin_of(checkpoint.load).epoch : 0;
}

std::optional<ResumePoint> newest_checkpoint(const std::string& folder, const std::string& case_id,
                                             const std::string& contract_id, std::vector<std::string>& notes,
                                             std::optional<std::int64_t> last_epoch) {
  const std::set<std::string> names = names_in(folder);
  std::vector<Candidate> candidates;
  for (const char* counted : {by_epoch, by_step}) {
    for (const std::string& name : names_of(names, case_id, counted, runtime::File::weights)) {
      const std::string path = folder + "/" + name;
      try {
        const runtime::Origin origin = runtime::origin_of(path);
        // The validation at the end of a whole epoch is repeated.
        const std::int64_t needed = counted == by_epoch ? origin.epoch - 1 : origin.epoch;
        if (origin.contract_id != contract_id) {
          notes.push_back(path + ": is from another training");
        } else if (!origin.last_epoch) {
          notes.push_back(path + ": was saved without the losses of its epoch, by an older ddlbench");
        } else if (last_epoch && needed > *last_epoch) {
          notes.push_back(fmt::format("{}: epoch {} before it must be recorded, but the last one that is, is {}", path,
                                      needed, *last_epoch));
        } else {
          candidates.push_back({path, origin});
        }
      } catch (const InputError& error) {
        notes.emplace_back(error.what());
      }
    }
  }
  std::sort(candidates.begin(), candidates.end(), is_newer);
  for (const Candidate& one : candidates) {
    try {
      runtime::checked_digest(one.path, runtime::Part::everything);
      return ResumePoint{one.path, one.origin.epoch, one.origin.step};
    } catch (const InputError& error) {
      notes.emplace_back(error.what());
    }
  }
  return std::nullopt;
}

}  // namespace ddlbench::bench
