#include "bench/records/record_json.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "bench/records/json_fields.h"
#include "bench/records/record_fields.h"

namespace ddlbench::bench {

nlohmann::json number_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_from_json(const nlohmann::json& json) {
  if (!json.is_string()) return json.get<double>();
  const auto& text = json.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw ContractError("\"" + text + "\" is not a number");
}

static void to_json(nlohmann::json& json, Status status) {
  json = name(status);
}

static void from_json(const nlohmann::json& json, Status& status) {
  const auto& text = json.get_ref<const std::string&>();
  const auto parsed = parse_status(text);
  if (!parsed) throw ContractError("\"" + text + "\" is not a status");
  status = *parsed;
}

nlohmann::json to_json(const EpochRecord& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const ValidationRecord& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const RankRecord& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const UtilisationRecord& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const VisitRecord& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const RoundsRecord& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const Measurement& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const CaseRecord& record) {
  return fields_to_json(record);
}

EpochRecord epoch_from_json(const nlohmann::json& json, MissingKey missing) {
  return fields_from_json<EpochRecord>(json, missing);
}
ValidationRecord validation_from_json(const nlohmann::json& json, MissingKey missing) {
  return fields_from_json<ValidationRecord>(json, missing);
}
RankRecord rank_from_json(const nlohmann::json& json, MissingKey missing) {
  return fields_from_json<RankRecord>(json, missing);
}
UtilisationRecord utilisation_from_json(const nlohmann::json& json) {
  return fields_from_json<UtilisationRecord>(json, MissingKey::ignored);
}
VisitRecord visit_from_json(const nlohmann::json& json) {
  return fields_from_json<VisitRecord>(json, MissingKey::ignored);
}
RoundsRecord rounds_from_json(const nlohmann::json& json) {
  return fields_from_json<RoundsRecord>(json, MissingKey::ignored);
}
Measurement measurement_from_json(const nlohmann::json& json, MissingKey missing) {
  return fields_from_json<Measurement>(json, missing);
}
CaseRecord case_from_json(const nlohmann::json& json) {
  return fields_from_json<CaseRecord>(json, MissingKey::ignored);
}

}  // namespace ddlbench::bench
