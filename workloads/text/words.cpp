#include "workloads/text/words.h"

#include "workloads/text/unicode.h"

namespace ddlbench::workloads {
namespace {

/// Returns the bytes of the run of characters of class `kind` from `begin` on.
std::size_t run(std::string_view text, std::size_t begin, CharacterClass kind) {
  std::size_t end = begin;
  while (end < text.size()) {
    const Character next = first_character(text.substr(end));
    if (next.kind != kind) break;
    end += next.bytes;
  }
  return end - begin;
}

std::size_t contraction(std::string_view text) {
  for (const std::string_view suffix : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.substr(0, suffix.size()) == suffix) return suffix.size();
  }
  return 0;
}

/// Returns the bytes of white space that form a word. Before another word, the last character is left out; that word
/// takes it if it is a blank.
std::size_t white_space(std::string_view text) {
  std::size_t end = 0, last = 0;
  while (end < text.size()) {
    const Character next = first_character(text.substr(end));
    if (next.kind != CharacterClass::space) break;
    last = end;
    end += next.bytes;
  }
  return end == text.size() || last == 0 ? end : last;
}

}  // namespace

std::size_t first_word(std::string_view text) {
  if (const std::size_t bytes = contraction(text)) return bytes;
  const std::size_t blank = text[0] == ' ' ? 1 : 0;
  if (blank < text.size()) {
    const CharacterClass kind = first_character(text.substr(blank)).kind;
    if (kind != CharacterClass::space) return blank + run(text, blank, kind);
  }
  return white_space(text);
}

}  // namespace ddlbench::workloads
