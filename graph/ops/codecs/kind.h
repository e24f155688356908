#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/option.h"

namespace ddlbench::graph {

/// A lossy compression C of gradients, and its decoding D. One line of codecs.def names it, and NAME.cpp in this folder
/// describes it; its arithmetic is in kernels/functors/codecs/NAME.h.
struct CodecKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  /// Returns the size of the payload, which depends on nothing else: counts are known before anything runs. 0 for 0
  /// elements, otherwise a multiple of 4.
  std::int64_t (*payload_bytes)(const OptionValues& options, std::int64_t elements);
  double encode_flops = 0;      ///< for each element, without the residual
  bool draws = false;           ///< C uses random numbers
  bool error_feedback = false;  ///< the published method adds what a payload lost to the next gradient
  std::vector<OptionProblem> (*problems)(const OptionValues& options) = nullptr;
  bool selects = false;  ///< D is v in some elements and 0 in the others, so that a residual is 0 where v was sent
};

/// A codec and the values of all its options.
struct Codec {
  const CodecKind* kind;
  OptionValues options;

  std::int64_t payload_bytes(std::int64_t elements) const { return kind->payload_bytes(options, elements); }
  std::string text() const;  ///< "one_bit group=2048"
};

/// Returns all codecs, in the order of codecs.def.
const std::vector<CodecKind>& codec_kinds();

/// Throws InputError if there is no such codec (with the nearest name), or if an option is outside its limits.
Codec make_codec(const Choice& choice);

}  // namespace ddlbench::graph
