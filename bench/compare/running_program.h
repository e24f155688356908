#pragma once

#include <poll.h>

#include <deque>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "bench/compare/run_program.h"
#include "bench/launcher/case_log.h"
#include "bench/launcher/child.h"
#include "bench/launcher/line_reader.h"
#include "bench/launcher/time_slices.h"

namespace ddlbench::bench {

/// A program that runs, and what it has printed. The destructor kills it.
class RunningProgram final : public Suspendable {
 public:
  /// Throws InputError if it cannot be started or its log cannot be written.
  explicit RunningProgram(const ProgramStart& start);

  /// Reads what it has printed, and notes whether it has ended.
  void update();
  bool has_ended() const override { return exit_code_.has_value(); }
  ProgramEnd end(bool stopped) const;

  void suspend() override { child_.suspend(); }
  void resume() override { child_.resume(); }
  /// Sends its first process a signal, which it receives when it is resumed.
  void send(int signal);
  /// Adds the descriptors that become readable when it prints something or ends.
  void add_sources(std::vector<pollfd>& sources) const;

 private:
  /// Returns whether there was anything to read.
  bool read();

  std::ofstream file_;
  Child child_;
  CaseLog log_;
  LineReader output_, errors_;
  std::deque<std::string> last_;
  std::optional<int> exit_code_;
};

}  // namespace ddlbench::bench
