#pragma once

#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace ddlbench::bench {

/// A sequence of the program's own, such as a colour: `stream << Control{"\x1b[0m"}` writes it as it is.
struct Control {
  std::string_view text;
};
std::ostream& operator<<(std::ostream& stream, const Control& control);

/// For its life nothing that steers a terminal leaves `stream`, whoever writes into it: what is written goes through
/// printable_lines. What the program itself steers a terminal by goes by Control. As of the standard streams
/// several threads may write.
class PrintableStream final : public std::streambuf {
 public:
  explicit PrintableStream(std::ostream& stream);
  ~PrintableStream() override;
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

 private:
  friend std::ostream& operator<<(std::ostream& stream, const Control& control);

  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;
  bool put(std::string_view text);

  std::ostream& stream_;
  std::streambuf* sink_;
  std::mutex mutex_;
  std::string unfinished_;  ///< the first bytes of a character whose others are still to come
};

}  // namespace ddlbench::bench
