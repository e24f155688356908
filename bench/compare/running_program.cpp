#include "bench/compare/running_program.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/join.h"

namespace ddlbench::bench {
namespace {

std::ofstream new_file(const std::string& path) {
  std::ofstream file(path);
  if (!file) throw InputError(path + ": cannot be written");
  return file;
}

}  // namespace

RunningProgram::RunningProgram(const ProgramStart& start)
    : file_(new_file(start.log)),
      child_(start.command, ""),
      log_(file_),
      output_(child_.output()),
      errors_(child_.log()) {}

void RunningProgram::update() {
  if (has_ended()) return;
  const auto status = child_.poll();
  while (read() && status) continue;
  if (status) exit_code_ = WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
}

ProgramEnd RunningProgram::end(bool stopped) const {
  return {stopped, exit_code_.value_or(0), joined(last_, "; ")};
}

void RunningProgram::send(int signal) {
  if (!has_ended()) ::kill(child_.id(), signal);
}

void RunningProgram::add_sources(std::vector<pollfd>& sources) const {
  if (has_ended()) return;
  if (!output_.closed()) sources.push_back({child_.output(), POLLIN, 0});
  if (!errors_.closed()) sources.push_back({child_.log(), POLLIN, 0});
}

bool RunningProgram::read() {
  const auto take = [this](const std::string& line) {
    log_.add(line);
    last_.push_back(line);
    if (last_.size() > 3) last_.pop_front();
  };
  const std::size_t bytes = output_.read(take) + errors_.read(take);
  log_.flush();
  return bytes > 0;
}

}  // namespace ddlbench::bench
