#include "platform/process_identity.h"

#include <fmt/core.h>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "platform/process_tree.h"

namespace ddlbench::platform {
namespace {

std::string own_place() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  std::error_code error;
  return fmt::format("{}/{}", boot, std::filesystem::read_symlink("/proc/self/ns/pid", error).string());
}

}  // namespace

ProcessIdentity::ProcessIdentity(pid_t process, std::int64_t start_ticks, std::string place)
    : process_(process), start_ticks_(start_ticks), place_(std::move(place)) {}

std::optional<ProcessIdentity> ProcessIdentity::of(pid_t process) {
  const auto found = find_process(process);
  if (!found || found->ended()) return std::nullopt;
  return ProcessIdentity(process, found->start_ticks, own_place());
}

std::optional<ProcessIdentity> ProcessIdentity::parse(const std::string& text) {
  std::istringstream in(text);
  pid_t process = 0;
  std::int64_t start_ticks = 0;
  std::string place;
  if (!(in >> process >> start_ticks >> place)) return std::nullopt;
  return ProcessIdentity(process, start_ticks, place);
}

std::string ProcessIdentity::text() const {
  return fmt::format("{} {} {}", process_, start_ticks_, place_);
}

bool ProcessIdentity::is_local() const {
  return place_ == own_place();
}

bool ProcessIdentity::ended() const {
  if (!is_local()) return false;
  const auto found = find_process(process_);
  return !found || found->ended() || found->start_ticks != start_ticks_;
}

}  // namespace ddlbench::platform
