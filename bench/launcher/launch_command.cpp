#include "bench/launcher/launch_command.h"

#include <unistd.h>

#include <fmt/core.h>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "base/error.h"
#include "base/join.h"
#include "comm/gloo/gloo.h"
#include "platform/process_identity.h"
#include "platform/program_id.h"

namespace ddlbench::bench {
namespace {

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  throw InputError(name +
                   " is not in PATH, but transport mpi needs it to start its ranks: install MPICH (mpich on "
                   "Debian), or start ddlbench with your own launcher");
}

bool is_of_a_launcher(std::string_view variable) {
  return variable.starts_with("DDLBENCH_RANK") || variable == comm::gloo::rendezvous_variable ||
         variable.starts_with("PMI_") || variable.starts_with("PMIX_") || variable.starts_with("MPI_LOCAL") ||
         variable.starts_with("OMPI_COMM_WORLD_");
}

}  // namespace

std::string own_program() {
  const std::string own = fmt::format("/proc/{}/exe", ::getpid());
  std::error_code error;
  const auto path = std::filesystem::read_symlink(own, error);
  return !error && std::filesystem::equivalent(path, own, error) ? path.string() : own;
}

void require_mpiexec() {
  find_program("mpiexec");
}

LaunchCommand through_mpiexec(int ranks, int threads_per_rank, const std::string& program,
                              const std::vector<std::string>& arguments, const std::vector<LaunchHost>& hosts) {
  LaunchCommand command;
  command.program = find_program("mpiexec");
  if (!hosts.empty()) {
    const auto with_slots = [](const LaunchHost& one) { return fmt::format("{}:{}", one.name, one.slots); };
    command.arguments = {"-hosts", joined(hosts, ",", with_slots)};
  }
  command.arguments.insert(command.arguments.end(), {"-n", std::to_string(ranks), program});
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment["OMP_NUM_THREADS"] = std::to_string(threads_per_rank);
  command.environment[program_variable] = platform::program_id();
  if (const auto self = platform::ProcessIdentity::of(::getpid()))
    command.environment[supervisor_variable] = self->text();
  return command;
}

std::vector<std::string> environment_of(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    const std::string name = variable.substr(0, variable.find('='));
    if (!is_of_a_launcher(name) && !changes.contains(name)) variables.push_back(variable);
  }
  for (const auto& [name, value] : changes) variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

}  // namespace ddlbench::bench
