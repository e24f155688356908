#include "bench/launcher/utilisation.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "bench/launcher/gpu_utilisation.h"
#include "platform/process_tree.h"

namespace ddlbench::bench {
namespace {

/// Parses proc(5): "cpu  user nice system idle iowait irq softirq steal …".
void read_processors(std::istream& in, MachineCounters& counters) {
  std::string name;
  std::int64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  if (!(in >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal)) return;
  counters.user = user + nice;
  counters.system = system + irq + softirq;
  counters.idle = idle;
  counters.iowait = iowait;
  counters.total = counters.user + counters.system + idle + iowait + steal;
}

/// Parses two header lines, then "  eth0: received_bytes, 7 other receive counters, sent_bytes, …".
void read_interfaces(std::istream& in, MachineCounters& counters) {
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto begin = line.find_first_not_of(' ');
    std::istringstream fields(line.substr(colon + 1));
    std::int64_t received = 0, skipped = 0, sent = 0;
    fields >> received;
    for (int i = 0; i < 7; ++i) fields >> skipped;
    fields >> sent;
    if (fields.fail()) continue;
    if (line.substr(begin, colon - begin) == "lo") {
      counters.loopback_bytes += sent;
    } else {
      counters.received_bytes += received;
      counters.sent_bytes += sent;
    }
  }
}

double seconds(UtilisationSampler::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

MachineCounters read_counters(const std::string& proc) {
  MachineCounters counters;
  std::ifstream processors(proc + "/stat");
  read_processors(processors, counters);
  std::ifstream interfaces(proc + "/net/dev");
  read_interfaces(interfaces, counters);
  return counters;
}

UtilisationSampler::UtilisationSampler(std::string case_id, pid_t root, std::vector<std::string> gpus)
    : case_id_(std::move(case_id)), root_(root), gpus_(std::move(gpus)) {
  if (!gpus_.empty()) nvml_ = std::make_unique<platform::Nvml>();
}

UtilisationRecord UtilisationSampler::sample() {
  const auto now = Clock::now();
  const MachineCounters counters = read_counters();
  UtilisationRecord record;
  record.case_id = case_id_;
  record.elapsed_seconds = seconds(now - begin_);
  if (last_) {
    record.network_received_bytes = counters.received_bytes - before_.received_bytes;
    record.network_sent_bytes = counters.sent_bytes - before_.sent_bytes;
    record.loopback_bytes = counters.loopback_bytes - before_.loopback_bytes;
    // Ticks are hundredths of a second: with none there is no ratio.
    if (const auto ticks = static_cast<double>(counters.total - before_.total); ticks > 0) {
      // Idle counters may decrease slightly as the kernel corrects them (proc(5) says so of iowait).
      const auto share = [ticks](std::int64_t now_ticks, std::int64_t then) {
        return static_cast<double>(std::max<std::int64_t>(now_ticks - then, 0)) / ticks;
      };
      record.cpu_user_ratio = share(counters.user, before_.user);
      record.cpu_system_ratio = share(counters.system, before_.system);
      record.cpu_idle_ratio = share(counters.idle, before_.idle);
      record.cpu_iowait_ratio = share(counters.iowait, before_.iowait);
    }
  }
  for (const platform::Process& process : platform::process_tree(root_)) {
    if (process.ended()) continue;
    record.resident_bytes += process.resident_bytes;
    record.threads += process.threads;
    ++record.processes;
  }
  if (nvml_) note_gpus(nvml_->sample(gpus_), record);
  last_ = now;
  before_ = counters;
  return record;
}

std::optional<UtilisationRecord> UtilisationSampler::sample_if_due() {
  if (last_ && Clock::now() - *last_ < std::chrono::seconds(1)) return std::nullopt;
  return sample();
}

}  // namespace ddlbench::bench
