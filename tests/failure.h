#pragma once

#include <exception>
#include <string>

#include "catch.h"

namespace ddlbench::test {

/// Returns the message of the Error that `action` throws, or "nothing was thrown".
template <class Error = std::exception, class Action>
std::string failure_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

inline void check_says(const std::string& message, const std::string& words) {
  INFO(message);
  CHECK(message.find(words) != std::string::npos);
}

}  // namespace ddlbench::test
