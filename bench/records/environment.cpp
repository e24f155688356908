#include "bench/records/environment.h"

#include <gnu/libc-version.h>
#include <isa-l.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <utf8proc.h>
#include <zlib.h>

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "bench/records/build_info.h"
#include "bench/records/gpu_environment.h"
#include "bench/records/spin_variables.h"
#include "comm/mpi/library.h"
#include "kernels/cpu/onednn.h"
#include "platform/memory_groups.h"
#include "platform/processor.h"
#include "platform/processor_settings.h"
#include "platform/program_id.h"

extern char** environ;

namespace ddlbench::bench {

namespace {

using Json = nlohmann::json;

constexpr const char* utc_format = "%Y-%m-%dT%H:%M:%SZ";

/// Returns the value after the equals sign in the first line that begins with `key`; null if there is none.
Json value_in(const std::string& path, const std::string& key) {
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const auto at = line.find('=');
    if (at == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t\"", at + 1);
    const auto end = line.find_last_not_of(" \t\"");
    if (begin != std::string::npos) return line.substr(begin, end - begin + 1);
  }
  return nullptr;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Returns the limits of the control groups that contain this process, and settings of the machine.
Json limits_and_settings() {
  const platform::ProcessorSettings processor = platform::processor_settings();
  const std::int64_t installed = platform::installed_memory_bytes(), limited = platform::limited_memory_bytes();
  return {{"processor_quota_cores", or_null(processor.quota_cores)},
          {"memory_limit_bytes", limited < installed ? Json(limited) : Json(nullptr)},
          {"scaling_governor", or_null(processor.scaling_governor)},
          {"smt_active", or_null(processor.smt_active)},
          {"numa_nodes", or_null(processor.numa_nodes)}};
}

Json usable_cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? Json(CPU_COUNT(&set)) : Json(nullptr);
}

Json libraries(const kernels::CudaInfo& cuda, const comm::NcclState& nccl) {
  const std::string mpi = comm::mpi::library_version();
  Json found{{"oneDNN", kernels::cpu::onednn::version()},
             {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                           NLOHMANN_JSON_VERSION_PATCH)},
             {"ISA-L", fmt::format("{}.{}.{}", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION)},
             {"zlib", zlibVersion()},
             {"utf8proc", utf8proc_version()},
             {"glibc", gnu_get_libc_version()},
             {"MPI", mpi.empty() ? Json(nullptr) : Json(mpi)}};
  found.update(gpu_libraries(cuda, nccl));
  return found;
}

/// Returns the variables of OpenMP and of its run-time libraries (GCC's and LLVM's) that are set.
Json openmp_variables() {
  Json found = Json::object();
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (equals == std::string::npos) continue;
    for (const char* prefix : {"OMP_", "GOMP_", "KMP_"}) {
      if (text.starts_with(prefix)) found[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  return found;
}

Json slurm() {
  Json found = Json::object();
  for (const char* key : {"SLURM_JOB_ID", "SLURM_JOB_NAME", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID",
                          "SLURM_STEP_ID", "SLURM_JOB_NODELIST", "SLURM_JOB_PARTITION", "SLURM_RESTART_COUNT"}) {
    if (const char* value = std::getenv(key)) found[key] = value;
  }
  return found.empty() ? Json(nullptr) : found;
}

Json build() {
  return {{"version", build_info.version},
          {"git_commit", *build_info.git_commit ? Json(build_info.git_commit) : Json(nullptr)},
          {"git_dirty", *build_info.git_commit ? Json(build_info.git_dirty) : Json(nullptr)},
          {"compiler", build_info.compiler},
          {"compiler_flags", build_info.flags},
          {"build_type", build_info.build_type},
          {"sanitizers", build_info.sanitizers},
          {"program_id", platform::program_id()}};
}

}  // namespace

Json describe_environment() {
  utsname system{};
  ::uname(&system);
  const kernels::CudaInfo cuda = kernels::describe_cuda();
  const comm::NcclState nccl = comm::nccl_state();
  Json found{{"host", system.nodename},
             {"kernel", fmt::format("{} {}", system.sysname, system.release)},
             {"architecture", system.machine},
             {"operating_system", value_in("/etc/os-release", "PRETTY_NAME")},
             {"cpu", platform::processor_name()},
             {"logical_cores", ::sysconf(_SC_NPROCESSORS_ONLN)},
             {"usable_cores", usable_cores()},
             {"memory_bytes", platform::installed_memory_bytes()},
             {"gpu", describe_gpus(cuda, nccl)},
             {"libraries", libraries(cuda, nccl)},
             {"build", build()},
             {"slurm", slurm()},
             {"openmp_variables", openmp_variables()},
             {"openmp_variables_of_cases", spin_variables(false)},
             {"openmp_variables_of_oversubscribed_cases", spin_variables(true)}};
  found.update(limits_and_settings());
  return found;
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text;
  return {text.data(), std::strftime(text.data(), text.size(), utc_format, &parts)};
}

std::int64_t seconds_of_utc(const std::string& time) {
  std::tm parts{};
  const char* end = ::strptime(time.c_str(), utc_format, &parts);
  if (end == nullptr || *end != '\0') throw InputError("\"" + time + "\" is not a time in the form " + utc_now());
  return ::timegm(&parts);
}

}  // namespace ddlbench::bench
