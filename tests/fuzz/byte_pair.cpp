// Input: encoder.json, a NUL byte, vocab.bpe, a NUL byte, a text.
#include "workloads/text/byte_pair.h"
#include "fuzz/input.h"
#include "fuzz/target.h"
#include "temporary_folder.h"
#include "workloads/dataset.h"

using namespace ddlbench;

DDLBENCH_FUZZ_TARGET(byte_pair)(const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryFolder folder;
  fuzz::Input input(data, size);
  fuzz::write(folder / "encoder.json", input.until('\0'));
  fuzz::write(folder / "vocab.bpe", input.until('\0'));
  try {
    const workloads::BytePair vocabulary(folder.path());
    const std::string_view text = input.rest();
    workloads::Encoder encoder(vocabulary);
    std::vector<std::int32_t> tokens, sections;
    encoder.encode(text, tokens);
    fuzz::expect(vocabulary.decode(tokens) == text, "decoding returns the text that was encoded");
    encoder.encode_sections(text, sections);
  } catch (const workloads::BadData&) {
  }
  return 0;
}
