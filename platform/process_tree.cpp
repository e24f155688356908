#include "platform/process_tree.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "base/error.h"

namespace ddlbench::platform {
namespace {

/// Returns nothing if the process has just ended.
std::optional<Process> read_process(const std::string& number) {
  std::ifstream file("/proc/" + number + "/stat");
  const std::string line = stat_line(file);
  if (line.empty()) return std::nullopt;
  return parse_process(line);
}

/// Returns the entries of a folder of /proc that are numbers; none if it does not exist.
std::vector<std::string> numbers_in(const std::string& path) {
  std::vector<std::string> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') numbers.emplace_back(entry->d_name);
  }
  return numbers;
}

std::vector<Process> all_processes() {
  std::vector<Process> processes;
  for (const std::string& number : numbers_in("/proc")) {
    if (auto process = read_process(number)) processes.push_back(std::move(*process));
  }
  return processes;
}

}  // namespace

std::optional<Process> find_process(pid_t id) {
  return read_process(std::to_string(id));
}

std::string stat_line(std::istream& file) {
  std::string line;
  std::getline(file, line, '\0');  // names may contain newlines; unlike an iterator, getline does not throw
  return line;
}

Process parse_process(const std::string& stat_line) {
  const auto name_begin = stat_line.find('(');
  const auto name_end = stat_line.rfind(')');
  require(name_begin < name_end && name_end != std::string::npos, "not a line of /proc/PID/stat");
  Process process;
  std::istringstream(stat_line) >> process.id;
  process.name = stat_line.substr(name_begin + 1, name_end - name_begin - 1);
  std::istringstream fields(stat_line.substr(name_end + 1));
  fields >> process.state >> process.parent;
  // proc(5) counts fields from 1, and the state is field 3: threads are field 20, the start time 22, resident pages 24.
  std::string skipped;
  for (int field = 5; field < 20; ++field) fields >> skipped;
  fields >> process.threads;
  std::int64_t pages = 0;
  fields >> skipped >> process.start_ticks >> skipped >> pages;
  require(!fields.fail(), "a line of /proc/PID/stat has fewer than 24 fields");
  process.resident_bytes = pages * static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
  return process;
}

std::vector<Process> process_tree(pid_t root) {
  const std::vector<Process> all = all_processes();
  std::vector<Process> tree;
  const auto is_root = [root](const Process& process) { return process.id == root; };
  const auto found = std::find_if(all.begin(), all.end(), is_root);
  if (found == all.end()) return tree;
  tree.push_back(*found);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const pid_t parent = tree[i].id;
    std::copy_if(all.begin(), all.end(), std::back_inserter(tree),
                 [parent](const Process& process) { return process.parent == parent; });
  }
  return tree;
}

std::vector<pid_t> tree_ids(pid_t root) {
  std::vector<pid_t> ids;
  if (!std::ifstream("/proc/thread-self/children")) {  // the kernel was built without CONFIG_PROC_CHILDREN
    for (const Process& process : process_tree(root)) ids.push_back(process.id);
    return ids;
  }
  if (!find_process(root)) return ids;
  ids.push_back(root);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string tasks = "/proc/" + std::to_string(ids[i]) + "/task";
    for (const std::string& task : numbers_in(tasks)) {
      std::ifstream children(tasks + "/" + task + "/children");
      for (pid_t child = 0; children >> child;) ids.push_back(child);
    }
  }
  return ids;
}

}  // namespace ddlbench::platform
