#include "bench/records/folder_claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "base/input_file.h"
#include "base/printable.h"
#include "json/parse.h"
#include "platform/host_name.h"
#include "platform/process_identity.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::json;

std::string slurm_job() {
  const char* job = std::getenv("SLURM_JOB_ID");
  return job == nullptr ? "" : job;
}

struct Claim {
  std::string host;
  platform::ProcessIdentity process;
  std::string slurm_job;  ///< empty outside of jobs

  std::string who() const { return fmt::format("process {} on {}", process.process(), printable(host)); }
  bool has_ended() const {
    if (process.is_local()) return process.ended();
    return host == platform::host_name() || (!slurm_job.empty() && slurm_job == bench::slurm_job());
  }
};

std::string path_in(const std::string& folder) {
  return folder + "/lock";
}

platform::ProcessIdentity this_process() {
  if (const auto found = platform::ProcessIdentity::of(::getpid())) return *found;
  throw InputError("/proc does not show this process: ddlbench needs it to claim its output folder");
}

std::string claim_of_this_process() {
  return Json{{"host", platform::host_name()}, {"process", this_process().text()}, {"slurm_job", slurm_job()}}.dump() +
         "\n";
}

/// Returns the text of a claim. Waits for it for a second, because the process that has just created the file may not
/// have written it yet. Throws InputError.
std::string written_text(const std::string& path) {
  constexpr std::int64_t longest = 4096;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (;;) {
    std::string text = InputFile(path).text(longest);
    if (!text.empty() || std::chrono::steady_clock::now() >= deadline) return text;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::optional<Claim> claim_in(const std::string& path) {
  try {
    const Json claim = json::parse_whole(written_text(path));
    const auto process = platform::ProcessIdentity::parse(claim.at("process").get<std::string>());
    if (process) return Claim{claim.at("host"), *process, claim.value("slurm_job", "")};
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

bool is_locked(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return locked;
}

}  // namespace

FolderClaim::FolderClaim(const std::string& folder, LeftOver left_over) : path_(path_in(folder)) {
  if (left_over == LeftOver::replaced && replace_left_over()) return;
  try {
    create(folder);
  } catch (const InputError&) {
    if (const auto why = why_claimed(folder, left_over)) throw InputError(*why);
    throw;
  }
}

/// Where the file system allows it, the file gets its name when it has its text, so that a process that is killed
/// leaves no claim of nobody.
void FolderClaim::create(const std::string& folder) {
  if (create_complete(folder)) return;
  file_.emplace(path_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
  lock_and_write();
}

/// Returns false if the file system lacks what it takes. Throws InputError if the file exists.
bool FolderClaim::create_complete(const std::string& folder) {
  try {
    file_.emplace(folder, O_RDWR | O_TMPFILE);
  } catch (const InputError&) {
    return false;
  }
  lock_and_write();
  const std::string unnamed = fmt::format("/proc/self/fd/{}", file_->descriptor());
  if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
  if (errno == EEXIST) throw InputError(fmt::format("{}: cannot be created: {}", path_, std::strerror(errno)));
  return false;
}

void FolderClaim::lock_and_write() {
  ::flock(file_->descriptor(), LOCK_EX | LOCK_NB);  // without file locks, the process and its start time must suffice
  write_claim();
}

/// Writes at the file's beginning, by one call, so that a process that is killed leaves the old claim or the new one.
void FolderClaim::write_claim() {
  constexpr std::size_t longest_usual = 512;
  std::string text = claim_of_this_process();
  text.resize(std::max(text.size(), longest_usual), ' ');
  try {
    file_->write(text);
    file_->truncate(static_cast<std::int64_t>(text.size()));
  } catch (...) {
    if (file_->is_at(path_)) ::unlink(path_.c_str());
    throw;
  }
}

/// Writes this process's claim in the place of one that is left over. Of several processes that try, one gets the lock.
/// Returns false if there is no such claim.
bool FolderClaim::replace_left_over() {
  const auto claim = claim_in(path_);
  if (!claim || !claim->has_ended()) return false;
  try {
    file_.emplace(path_, O_RDWR | O_NOFOLLOW);
  } catch (const InputError&) {  // removed since then: create it
    return false;
  }
  const bool is_locked = ::flock(file_->descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  const auto present = claim_in(path_);
  if (is_locked || !file_->is_at(path_) || !present || !present->has_ended()) {
    file_.reset();
    return false;
  }
  write_claim();
  return true;
}

/// Leaves the file alone if the folder was removed and another run has created one of the same name.
FolderClaim::~FolderClaim() {
  if (file_->is_at(path_)) ::unlink(path_.c_str());
}

std::optional<std::string> why_claimed(const std::string& folder, FolderClaim::LeftOver left_over) {
  const bool is_new = left_over == FolderClaim::LeftOver::rejected;
  const std::string path = path_in(folder), other = is_new ? "name another with --output, or " : "";
  std::error_code none;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, none))) return std::nullopt;
  const std::optional<Claim> claim = claim_in(path);
  const std::string begin = "output folder " + folder + " is ";
  if (!claim) return fmt::format("{}claimed by a file `lock` that names no process: {}remove that file", begin, other);
  const bool here = claim->process.is_local();
  if ((here && !claim->process.ended()) || is_locked(path))
    return fmt::format("{}being written by {}: {}wait for its end", begin, claim->who(), other);
  if (here || claim->host == platform::host_name())
    return fmt::format(
        "{}left over from {}, which was killed: name another with --output, remove it, or continue that "
        "run with --resume {}",
        begin, claim->who(), folder);
  return fmt::format("{}claimed by {}, which is not visible from {}: {}remove its file `lock` if that process is gone",
                     begin, claim->who(), platform::host_name(), other);
}

}  // namespace ddlbench::bench
