#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ddlbench::bench {

/// Text of this program's source: the compiler rejects any other, so that nothing from outside becomes markup.
struct Literal {
  consteval Literal(const char* source) : text(source) {}
  std::string_view text;
};

struct Attribute;

/// A part of an HTML page or of an SVG picture in it. Only the functions below make one, and they escape every text
/// that is not a Literal.
class Html {
 public:
  Html() = default;
  Html(Literal markup) : markup_(markup.text) {}

  const std::string& str() const { return markup_; }
  bool empty() const { return markup_.empty(); }
  Html& operator+=(const Html& more) {
    markup_ += more.markup_;
    return *this;
  }
  friend Html operator+(Html left, const Html& right) { return std::move(left += right); }

 private:
  friend Html html_text(std::string_view text);
  friend Html element(Literal name, const std::vector<Attribute>& attributes, const Html& content);
  friend Html empty_element(Literal name, const std::vector<Attribute>& attributes);

  std::string markup_;
};

/// The value is escaped.
struct Attribute {
  Literal name;
  std::string value;
};
using Attributes = std::vector<Attribute>;

/// Returns the text with the five special characters of HTML escaped, after printable().
std::string escaped(std::string_view text);

Html html_text(std::string_view text);

/// Returns <name attributes>content</name>.
Html element(Literal name, const Attributes& attributes, const Html& content);
Html element(Literal name, const Html& content);

/// Returns <name attributes/>: an element of SVG, or one of HTML that has no content.
Html empty_element(Literal name, const Attributes& attributes);

}  // namespace ddlbench::bench
