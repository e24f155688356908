#include "json/read.h"

#include <fmt/core.h>
#include <algorithm>
#include <cctype>
#include <limits>
#include <list>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "json/literal.h"
#include "json/parse.h"
#include "json/pointer.h"

namespace ddlbench::json {
namespace {

constexpr std::size_t max_values = 250000;  ///< in a document, including lists and objects
constexpr std::size_t max_problems = 100;

/// Converts ascending byte offsets to locations.
class LocationTracker {
 public:
  LocationTracker(const std::string& text, Location start) : text_(text), at_(start), start_(start) {}

  Location at(std::size_t offset) {
    if (offset < offset_) {
      offset_ = 0;
      at_ = start_;
    }
    const std::size_t end = std::min(offset, text_.size());
    at_ = end_of(std::string_view(text_).substr(offset_, end - offset_), at_);
    offset_ = end;
    return at_;
  }

 private:
  const std::string& text_;
  std::size_t offset_ = 0;
  Location at_, start_;
};

/// Builds the tree from the events of the parser. The parser keeps no positions, so this class scans the text in
/// parallel: at each event, its token is the next one after blanks, commas and colons, and is known to be well-formed.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(const std::string& text, Location start, std::vector<Problem>& problems)
      : text_(text), locations_(text, start), problems_(problems) {
    if (text_.starts_with("\xEF\xBB\xBF")) offset_ = 3;
  }

  Node root;

  bool null() override { return scalar(Node::Kind::null); }
  bool boolean(bool value) override {
    const bool go_on = scalar(Node::Kind::boolean);
    last_->boolean = value;
    return go_on;
  }
  bool number_integer(number_integer_t value) override {
    const bool go_on = scalar(Node::Kind::integer);
    last_->integer = value;
    last_->number = static_cast<double>(value);
    return go_on;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      return number_integer(static_cast<std::int64_t>(value));
    }
    return number_float(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& literal) override {
    const bool is_too_small = value == 0 && !is_zero(literal);
    const std::string pointer = is_too_small ? place_pointer() : "";
    const bool go_on = scalar(Node::Kind::number);
    last_->number = value;
    last_->text = literal;
    if (!is_too_small) return go_on;
    problems_.push_back({last_->at, pointer, "the number is too small: the smallest above 0 is 5e-324"});
    return go_on && problems_.size() < max_problems;
  }
  bool string(string_t& value) override {
    const bool go_on = scalar(Node::Kind::text);
    last_->text = value;
    return go_on;
  }
  bool binary(binary_t&) override { throw ContractError("JSON text has no binary values"); }
  bool start_object(std::size_t) override { return open(Node::Kind::object); }
  bool start_array(std::size_t) override { return open(Node::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    const Location at = next_token();
    skip_token();
    Frame& frame = open_.back();
    const auto [first, is_new] = frame.keys.emplace(value, at);
    if (!is_new) {
      problems_.push_back(
          {at, child(pointer_of_open(), value),
           fmt::format("the key \"{}\" occurs twice in this object, first in line {}", value, first->second.line)});
    }
    key_ = {value, at, {}};
    key_is_new_ = is_new;
    return problems_.size() < max_problems;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    const std::string message = error.what();
    const bool is_lexical = message.find("last read") != std::string::npos;
    const std::size_t last = std::min(std::max<std::size_t>(position, 1), text_.size() + 1) - 1;
    const bool is_comment = is_lexical && last < text_.size() && (text_[last] == '/' || text_[last] == '#');
    problems_.push_back({locations_.at(is_lexical ? last : token_start(last)), "",
                         "not JSON: " + (is_comment ? "JSON has no comments" : shortened(message))});
    return false;
  }

 private:
  struct Frame {
    Node* node;
    std::string token;  ///< key or index in the parent
    std::map<std::string, Location> keys;
  };

  /// Returns the beginning of the token whose last character is at `last`.
  std::size_t token_start(std::size_t last) {
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
    };
    if (last >= text_.size()) return text_.size();
    std::size_t start = last;
    if (text_[last] == '"') {
      next_token();  // all earlier tokens have been scanned, so the string is the next token
      return std::min(offset_, last);
    }
    while (is_word(text_[start]) && start > 0 && is_word(text_[start - 1])) --start;
    return start;
  }

  /// Returns the message of the library without its error number, its position and its excerpt of the text.
  static std::string shortened(std::string message) {
    for (const std::string lead : {"] ", ": ", "syntax error "}) {
      const auto at = message.find(lead);
      if (at != std::string::npos) message.erase(0, at + lead.size());
    }
    const auto copy = message.find("; last read: '");
    if (copy == std::string::npos) return without_literal(message);
    const auto expected = message.rfind("; expected ");
    const std::string rest = expected != std::string::npos && expected > copy ? message.substr(expected) : "";
    return message.substr(0, copy) + rest;
  }

  /// Returns the message "number overflow parsing '1e999'" without the number if it is long.
  static std::string without_literal(const std::string& message) {
    constexpr std::size_t longest = 80;
    return message.size() <= longest ? message : message.substr(0, message.find(" parsing '"));
  }

  Location next_token() {
    offset_ = std::min(text_.find_first_not_of(" \t\r\n,:", offset_), text_.size());
    return locations_.at(offset_);
  }

  void skip_token() {
    const auto end = text_.find_first_of(" \t\r\n,:]}", offset_);
    if (text_[offset_] != '"') {
      offset_ = std::min(std::max(end, offset_ + 1), text_.size());
      return;
    }
    for (++offset_; text_[offset_] != '"'; ++offset_) {
      if (text_[offset_] == '\\') ++offset_;
    }
    ++offset_;
  }

  /// Returns the node for the next value: the root, a new element of the open list, or the value of the key just read.
  Node& place() {
    if (open_.empty()) return root;
    Node& parent = *open_.back().node;
    if (parent.kind == Node::Kind::list) return parent.elements.emplace_back();
    if (!key_is_new_) return discarded_.emplace_back();
    return parent.members.emplace_back(key_).value;
  }

  std::string place_token() const {
    const Node& parent = *open_.back().node;
    return parent.kind == Node::Kind::list ? std::to_string(parent.elements.size()) : key_.key;
  }

  /// Returns the pointer of the open list or object. Pointers are built for problems only, because keys may be long and
  /// nested.
  std::string pointer_of_open() const {
    std::string pointer;
    for (std::size_t i = 1; i < open_.size(); ++i) pointer = child(pointer, open_[i].token);
    return pointer;
  }

  std::string place_pointer() const { return open_.empty() ? "" : child(pointer_of_open(), place_token()); }

  /// Counts a value. Returns false, which ends the reading, if there are too many.
  bool count_value(const Location& at) {
    if (++values_ <= max_values) return true;
    problems_.push_back(
        {at, place_pointer(), fmt::format("the document has more than {} values; use shorter lists", max_values)});
    return false;
  }

  bool scalar(Node::Kind kind) {
    const Location at = next_token();
    skip_token();
    const bool go_on = count_value(at);
    last_ = &place();
    last_->kind = kind;
    last_->at = at;
    return go_on;
  }

  bool open(Node::Kind kind) {
    const Location at = next_token();
    ++offset_;
    if (open_.size() == max_depth) {
      problems_.push_back({at, place_pointer(), fmt::format("nested deeper than {} levels", max_depth)});
      return false;
    }
    if (!count_value(at)) return false;
    std::string token = open_.empty() ? "" : place_token();
    Node& node = place();
    node.kind = kind;
    node.at = at;
    open_.push_back({&node, std::move(token), {}});
    return true;
  }

  bool close() {
    next_token();
    ++offset_;
    open_.pop_back();
    return true;
  }

  const std::string& text_;
  LocationTracker locations_;
  std::vector<Problem>& problems_;
  std::size_t offset_ = 0;
  std::vector<Frame> open_;
  Member key_;
  bool key_is_new_ = true;
  std::list<Node> discarded_;  ///< values of duplicate keys
  Node* last_ = nullptr;
  std::size_t values_ = 0;
};

}  // namespace

bool is_utf8(const std::string& text) {
  const std::string replaced = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore);
  return nlohmann::json::parse(replaced).get<std::string>() == text;
}

std::optional<Node> read(const std::string& text, std::vector<Problem>& problems, Location start) {
  if (const auto nul = find_nul(text, start)) {
    problems.push_back({*nul, "", std::string("not JSON: ") + nul_byte_error});
    return std::nullopt;
  }
  TreeBuilder builder(text, start, problems);
  if (!nlohmann::json::sax_parse(text, &builder)) return std::nullopt;
  return std::move(builder.root);
}

}  // namespace ddlbench::json
