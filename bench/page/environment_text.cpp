#include "bench/page/environment_text.h"

#include <fmt/core.h>

#include "base/join.h"
#include "base/units.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::json;

std::string text_of_value(const std::string& name, const Json& value) {
  if (value.is_null()) return "–";
  if (value.is_string()) return value.get<std::string>();
  if (name.ends_with("_bytes") && value.is_number_integer()) return format_exact_bytes(value.get<std::int64_t>());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void flatten(const std::string& name, const Json& value, char between,
             std::vector<std::pair<std::string, std::string>>& into) {
  const bool is_list_of_objects = value.is_array() && !value.empty() && value.front().is_object();
  if (value.is_object() || is_list_of_objects) {
    for (const auto& [key, inner] : value.items())
      flatten(name.empty() ? key : name + between + key, inner, between, into);
  } else {
    into.emplace_back(name, text_of_value(name, value));
  }
}

}  // namespace

std::string text_at(const Json& environment, const char* pointer) {
  const Json::json_pointer at(pointer);
  if (!environment.is_object() || !environment.contains(at) || environment.at(at).is_null()) return "";
  return text_of_value(pointer, environment.at(at));
}

std::string machine_text(const Json& environment) {
  std::vector<std::string> words;
  if (std::string processor = text_at(environment, "/cpu"); !processor.empty()) words.push_back(std::move(processor));
  const std::string cores = text_at(environment, "/usable_cores");
  if (!cores.empty()) words.push_back(fmt::format("{} core{}", cores, cores == "1" ? "" : "s"));
  const Json::json_pointer memory("/memory_bytes"), gpus("/gpu/gpus");
  if (environment.is_object() && environment.contains(memory) && environment.at(memory).is_number_integer())
    words.push_back(format_bytes(environment.at(memory).get<std::int64_t>()));
  if (environment.is_object() && environment.contains(gpus) && environment.at(gpus).is_array()) {
    for (const Json& gpu : environment.at(gpus)) {
      if (gpu.is_object() && gpu.contains("name") && gpu.at("name").is_string()) words.push_back(gpu.at("name"));
    }
  }
  return joined(words);
}

std::string version_text(const Json& environment) {
  std::string text = text_at(environment, "/build/version");
  if (const std::string commit = text_at(environment, "/build/git_commit"); !commit.empty())
    text += fmt::format(" (commit {}{})", commit.substr(0, 12),
                        text_at(environment, "/build/git_dirty") == "true" ? ", with changes" : "");
  return text;
}

std::vector<std::pair<std::string, std::string>> flattened(const Json& object, char between) {
  std::vector<std::pair<std::string, std::string>> values;
  if (object.is_object()) flatten("", object, between, values);
  return values;
}

}  // namespace ddlbench::bench
