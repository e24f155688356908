#pragma once

#include <string>

#include "base/hash.h"
#include "base/input_file.h"

namespace ddlbench::test {

inline std::string digest_of_file(const std::string& path) {
  return hexadecimal(fnv1a(InputFile(path).text()));
}

}  // namespace ddlbench::test
