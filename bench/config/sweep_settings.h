#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/option.h"
#include "bench/config/strategy_choice.h"

namespace ddlbench::bench {

/// Which combinations of the lists of an experiment are cases, and how these are expected to end. Rules are JSON texts
/// of objects from names of settings to values.
struct SweepSettings {
  std::vector<Strings> zip;
  Strings exclude;
  std::map<std::string, Strings> expect;  ///< by status
};

/// The rules by status, as a section of their own.
struct Expectations {
  std::map<std::string, Strings>& of_status;
};

template <class Visitor>
void describe(Visitor& v, Expectations& e) {
  for (const std::string& status : expectable_statuses())
    v.rules(status.c_str(), e.of_status[status], "Cases whose expected status this is, as in `exclude`.");
}

template <class Visitor>
void describe(Visitor& v, SweepSettings& s) {
  v.groups("zip", s.zip, "Settings whose lists, of equal lengths, advance together instead of being combined.");
  v.rules("exclude", s.exclude, "Cases to leave out: those with all the values of a rule.");
  Expectations expect{s.expect};
  v("expect", expect, "Expected statuses, which count as success.");
}

}  // namespace ddlbench::bench
