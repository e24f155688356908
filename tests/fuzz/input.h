#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

namespace ddlbench::fuzz {

/// Takes values and texts from the beginning of a fuzzer's input.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  /// Returns 0 at the end of the input.
  std::uint8_t byte() {
    const std::string_view one = take(1);
    return one.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(one.front());
  }
  /// Returns fewer bytes at the end of the input.
  std::string_view take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  /// Returns the bytes before the next `end`, which is dropped, or all that are left.
  std::string_view until(char end) {
    const std::string_view taken = take(rest_.find(end));
    take(1);
    return taken;
  }
  std::string_view rest() { return take(rest_.size()); }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

inline void write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Reports a broken promise as a finding.
inline void expect(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "broken: " << what << '\n' << std::flush;
  std::abort();
}

}  // namespace ddlbench::fuzz
