#include "bench/launcher/messages.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/records/json_fields.h"
#include "bench/records/record_json.h"
#include "json/parse.h"

namespace ddlbench::bench {

namespace {

using Json = nlohmann::json;

struct Encoder {
  Json operator()(const Started& m) const { return {{"kind", "started"}, {"process", m.process}, {"host", m.host}}; }
  Json operator()(const Killed& m) const {
    return {{"kind", "killed"}, {"process", m.process}, {"host", m.host}, {"signal", m.signal}};
  }
  Json operator()(const Alive& m) const {
    return {{"kind", "alive"}, {"phase", m.phase}, {"fraction", number_to_json(m.fraction)}};
  }
  Json operator()(const EpochRecord& m) const { return {{"kind", "epoch"}, {"record", to_json(m)}}; }
  Json operator()(const ValidationRecord& m) const { return {{"kind", "validation"}, {"record", to_json(m)}}; }
  Json operator()(const RankRecord& m) const { return {{"kind", "rank"}, {"record", to_json(m)}}; }
  Json operator()(const Measurement& m) const { return {{"kind", "measurement"}, {"record", to_json(m)}}; }
  Json operator()(const Failure& m) const {
    Json failure{{"kind", "failure"}, {"status", name(m.status)}, {"reason", m.reason}};
    if (m.rank) failure["rank"] = *m.rank;
    return failure;
  }
};

Message from_json(const Json& message) {
  const auto kind = message.at("kind").get<std::string>();
  const auto process = [&message] { return integer_from_json<std::int64_t>(message.at("process")); };
  if (kind == "started") return Started{process(), message.at("host")};
  if (kind == "killed") return Killed{process(), message.at("host"), integer_from_json<int>(message.at("signal"))};
  if (kind == "alive") return Alive{message.at("phase"), number_from_json(message.at("fraction"))};
  if (kind == "epoch") return epoch_from_json(message.at("record"), MissingKey::rejected);
  if (kind == "validation") return validation_from_json(message.at("record"), MissingKey::rejected);
  if (kind == "rank") return rank_from_json(message.at("record"), MissingKey::rejected);
  if (kind == "measurement") return measurement_from_json(message.at("record"), MissingKey::rejected);
  if (kind == "failure") {
    const auto status = parse_status(message.at("status").get<std::string>());
    std::optional<int> rank;
    if (message.contains("rank")) rank = integer_from_json<int>(message["rank"]);
    if (status) return Failure{*status, message.at("reason"), rank};
  }
  throw ContractError("unknown kind or status");
}

}  // namespace

std::string encode(const Message& message) {
  // The text of a library's exception need not be UTF-8.
  return std::visit(Encoder{}, message).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Message decode(const std::string& line) {
  try {
    return from_json(json::parse_whole(line));
  } catch (const std::exception& error) {
    throw ContractError(fmt::format("not a message: \"{}\" ({})", line.substr(0, 80), error.what()));
  }
}

}  // namespace ddlbench::bench
