#pragma once

#include <map>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// A machine on which a launcher may start ranks.
struct LaunchHost {
  std::string name;
  int slots = 1;  ///< ranks that it is meant for
};

/// Chooses the machines for further cases: those on which ranks were lost in two cases are avoided, as long as others
/// remain.
class HostChoice {
 public:
  /// `hosts`: all of them; empty if they are unknown or if there is only one, and then none is avoided.
  explicit HostChoice(std::vector<LaunchHost> hosts) : hosts_(std::move(hosts)) {}

  /// Notes that a case lost a rank on a host. Returns what follows for the next cases, for the reason of this one;
  /// empty if nothing does.
  std::string note_loss(const std::string& host);
  /// Returns the machines that remain; empty if none is avoided.
  std::vector<LaunchHost> remaining() const;
  /// Returns why so many ranks cannot be started on the machines that remain; empty if they can.
  std::string why_too_few(int ranks) const;

 private:
  bool is_avoided(const LaunchHost& host) const;

  std::vector<LaunchHost> hosts_;
  std::map<std::string, int> losses_;  ///< cases, by the first part of the host's name
};

}  // namespace ddlbench::bench
