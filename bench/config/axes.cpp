#include "bench/config/axes.h"

#include <fmt/core.h>
#include <algorithm>

#include "bench/config/resolve.h"
#include "json/pointer.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

Field one_of(const Field& field) {
  Field one = field;
  one.sweep = false;
  return one;
}

/// Returns "name=value" of the settings in which elements of the same kind differ from `element`.
std::string differing_settings(const Json& list, const Json& element, const Field& field) {
  std::string text;
  for (const Field& setting : field.kind_named(element.at("kind").get<std::string>()).fields) {
    const auto own = element.find(setting.name);
    if (own == element.end() || is_list_of(*own, setting)) continue;
    const bool differs = std::any_of(list.begin(), list.end(), [&](const Json& other) {
      return other.at("kind") == element.at("kind") && other.find(setting.name) != other.end() &&
             other.at(setting.name) != *own;
    });
    if (differs) text += fmt::format(" {}={}", setting.name, short_text(to_option(*own, setting)));
  }
  return text;
}

std::string text_of(const Json& list, const Json& element, const Field& field) {
  switch (field.type) {
    case Field::Type::kind:
      return element.at("kind").get<std::string>() + differing_settings(list, element, field);
    case Field::Type::text:
      return element.get<std::string>();
    case Field::Type::section:
      return "";
    default:
      return fmt::format("{}={}", field.name, short_text(to_option(element, field)));
  }
}

std::vector<Point> points_of_list(const Json& list, const Field& field, const Place& at, const Zips& zips) {
  const Field one = one_of(field);
  std::vector<Point> all;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string text = list.size() > 1 ? text_of(list, list[i], field) : "";
    const AxisValue chosen{at.setting, json::child(at.pointer, i), i, list.size(), text};
    const Zips::Places here = zips.places_of({chosen});
    for (Point& point : points_of(list[i], one, {at.setting, chosen.pointer}, zips)) {
      Zips::Places places = here;
      if (!Zips::join(places, zips.places_of(point.axes))) continue;
      point.axes.insert(point.axes.begin(), chosen);
      all.push_back(std::move(point));
    }
  }
  return all;
}

/// Returns every point of an object combined with every point of its member `name`.
std::vector<Point> product(const std::vector<Point>& points, const std::string& name, const std::vector<Point>& own,
                           const Zips& zips) {
  std::vector<Zips::Places> own_places;
  for (const Point& point : own) own_places.push_back(zips.places_of(point.axes));
  std::vector<Point> all;
  for (const Point& point : points) {
    const Zips::Places places = zips.places_of(point.axes);
    for (std::size_t i = 0; i < own.size(); ++i) {
      Zips::Places both = places;
      if (!Zips::join(both, own_places[i])) continue;
      Point& made = all.emplace_back(point);
      made.value[name] = own[i].value;
      made.axes.insert(made.axes.end(), own[i].axes.begin(), own[i].axes.end());
    }
  }
  return all;
}

}  // namespace

std::vector<Point> points_of(const Json& value, const Field& field, const Place& at, const Zips& zips) {
  if (!field.each_case && is_list_of(value, field)) return points_of_list(value, field, at, zips);
  std::vector<Point> points{{value, {}}};
  visit_members(value, field, at, [&](const Json& inner, const Field& member, const Place& place) {
    const std::vector<Point> own = points_of(inner, member, place, zips);
    const bool has_lists = own.size() != 1 || !own.front().axes.empty();
    if (!has_lists) return;
    for (Point& point : points) point.value[member.name] = nullptr;  // it is not copied only to be replaced
    points = product(points, member.name, own, zips);
  });
  return points;
}

void visit_members(const Json& value, const Field& field, const Place& at, const VisitMember& visit) {
  if (!value.is_object()) return;
  const bool is_kind = field.type == Field::Type::kind || field.type == Field::Type::kinds;
  if (!is_kind && field.type != Field::Type::section) return;
  const auto& members = is_kind ? field.kind_named(value.at("kind").get<std::string>()).fields : field.fields;
  for (const Field& member : members) {
    const auto found = value.find(member.name);
    if (found != value.end())
      visit(*found, member, {json::child(at.setting, member.name), json::child(at.pointer, member.name)});
  }
}

void visit_sweeps(const Json& value, const Field& field, const Place& at, const VisitSweep& visit) {
  if (field.sweep) visit(at, field, value);
  if (is_list_of(value, field)) {
    const Field one = one_of(field);
    for (std::size_t i = 0; i < value.size() && !field.each_case; ++i)
      visit_sweeps(value[i], one, {at.setting, json::child(at.pointer, i)}, visit);
    return;
  }
  visit_members(value, field, at, [&visit](const Json& inner, const Field& member, const Place& place) {
    visit_sweeps(inner, member, place, visit);
  });
}

}  // namespace ddlbench::bench
