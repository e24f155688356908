#pragma once

#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace ddlbench::bench {

/// A control sequence of the program itself, such as a colour: `stream << Control{"\x1b[0m"}` writes it unchanged.
struct Control {
  std::string_view text;
};
std::ostream& operator<<(std::ostream& stream, const Control& control);

/// A filter that, for its lifetime, keeps terminal control sequences out of `stream`, whoever writes to it: all text
/// passes through printable_lines. The program writes its own control sequences as Control. Several threads may write,
/// as to the standard streams.
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
  std::string unfinished_;  ///< the first bytes of a UTF-8 character that is not complete yet
};

}  // namespace ddlbench::bench
