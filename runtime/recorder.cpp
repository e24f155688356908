#include "runtime/recorder.h"

#include <algorithm>

#include "base/error.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

constexpr std::size_t stretches = 16;

}  // namespace

void Recorder::reserve(std::size_t instructions, std::size_t communications) {
  inputs_.reserve(std::max(inputs_.capacity(), stretches));
  // An instruction can add its own span and one for the computation that it waits for; a communication adds one wait.
  step_.spans.reserve(std::max(step_.spans.capacity(), 2 * instructions + communications + stretches));
  step_.transfers.reserve(std::max(step_.transfers.capacity(), communications));
}

void Recorder::note_input(std::int64_t begin, std::int64_t end) {
  require(begin <= end, "a stretch of input ends before it begins");
  Span stretch{Activity::input, program::none, begin, end};
  std::erase_if(inputs_, [&](const Span& other) {
    if (other.end < stretch.begin || stretch.end < other.begin) return false;
    stretch.begin = std::min(stretch.begin, other.begin);
    stretch.end = std::max(stretch.end, other.end);
    return true;
  });
  const auto place = std::find_if(inputs_.begin(), inputs_.end(), [&](const Span& s) { return s.begin > stretch.end; });
  inputs_.insert(place, stretch);
}

void Recorder::reserve(BegunStep& begun) {
  begun.inputs.reserve(stretches);
}

void Recorder::take(std::int64_t step, int body, BegunStep& begun) {
  begun.step = step;
  begun.body = body;
  begun.begin = inputs_.empty() ? now() : inputs_.front().begin;
  begun.inputs.assign(inputs_.begin(), inputs_.end());
  inputs_.clear();
}

void Recorder::begin(const BegunStep& begun, std::int64_t earliest) {
  step_.step = begun.step;
  step_.body = begun.body;
  step_.begin = std::max(begun.begin, earliest);
  step_.transfers.clear();
  step_.spans.clear();
  for (const Span& stretch : begun.inputs) {
    if (stretch.end > step_.begin) span(stretch.activity, none, std::max(stretch.begin, step_.begin), stretch.end);
  }
}

}  // namespace ddlbench::runtime
