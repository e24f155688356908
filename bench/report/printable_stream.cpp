#include "bench/report/printable_stream.h"

#include <utility>

#include "base/printable.h"

namespace ddlbench::bench {

PrintableStream::PrintableStream(std::ostream& stream) : stream_(stream), sink_(stream.rdbuf(this)) {}

PrintableStream::~PrintableStream() {
  if (sink_ != nullptr && !unfinished_.empty()) put(printable_lines(unfinished_));
  const std::ios::iostate state = stream_.rdstate();
  stream_.rdbuf(sink_);
  stream_.clear(sink_ != nullptr ? state : state | std::ios::badbit);
}

bool PrintableStream::put(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return sink_->sputn(text.data(), size) == size;
}

std::streamsize PrintableStream::xsputn(const char* text, std::streamsize size) {
  if (sink_ == nullptr) return 0;
  const std::lock_guard lock(mutex_);
  std::string whole = std::exchange(unfinished_, {});
  whole.append(text, static_cast<std::size_t>(size));
  const std::size_t end = whole.size() - unfinished_bytes(whole);
  unfinished_ = whole.substr(end);
  return put(printable_lines(std::string_view(whole).substr(0, end))) ? size : 0;
}

PrintableStream::int_type PrintableStream::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

int PrintableStream::sync() {
  const std::lock_guard lock(mutex_);
  return sink_ != nullptr ? sink_->pubsync() : -1;
}

std::ostream& operator<<(std::ostream& stream, const Control& control) {
  auto* filter = dynamic_cast<PrintableStream*>(stream.rdbuf());
  if (filter == nullptr) return stream << control.text;
  if (const std::ostream::sentry ready(stream); ready) {
    const std::lock_guard lock(filter->mutex_);
    if (!filter->put(control.text)) stream.setstate(std::ios::badbit);
  }
  return stream;
}

}  // namespace ddlbench::bench
