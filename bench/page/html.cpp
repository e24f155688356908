#include "bench/page/html.h"

#include "base/printable.h"

namespace ddlbench::bench {
namespace {

std::string opened(Literal name, const Attributes& attributes) {
  std::string tag = "<" + std::string(name.text);
  for (const Attribute& attribute : attributes) {
    tag += " " + std::string(attribute.name.text) + "=\"" + escaped(attribute.value) + "\"";
  }
  return tag;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

Html html_text(std::string_view text) {
  Html html;
  html.markup_ = escaped(text);
  return html;
}

Html element(Literal name, const Attributes& attributes, const Html& content) {
  Html html;
  html.markup_ = opened(name, attributes) + ">" + content.str() + "</" + std::string(name.text) + ">";
  return html;
}

Html element(Literal name, const Html& content) {
  return element(name, {}, content);
}

Html empty_element(Literal name, const Attributes& attributes) {
  Html html;
  html.markup_ = opened(name, attributes) + "/>";
  return html;
}

}  // namespace ddlbench::bench
