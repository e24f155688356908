#include <fmt/core.h>

#include "program/program.h"

namespace ddlbench::program {
namespace {

template <class Section, class Owner>
std::vector<Section*> sections_of(Owner& program) {
  std::vector<Section*> all{&program.prologue};
  for (Section& body : program.bodies) all.push_back(&body);
  all.push_back(&program.epilogue);
  return all;
}

}  // namespace

std::vector<const Instructions*> sections(const Program& program) {
  return sections_of<const Instructions>(program);
}

std::vector<Instructions*> sections(Program& program) {
  return sections_of<Instructions>(program);
}

int epilogue_section(const Program& program) {
  return body_section(static_cast<int>(program.bodies.size()));
}

bool is_body(const Program& program, int section) {
  return section >= body_section(0) && section < epilogue_section(program);
}

const Instructions& section(const Program& program, int index) {
  if (index == prologue_section) return program.prologue;
  if (index == epilogue_section(program)) return program.epilogue;
  return program.bodies.at(static_cast<std::size_t>(index - body_section(0)));
}

std::string section_name(const Program& program, int index) {
  if (index == prologue_section) return "prologue";
  if (index == epilogue_section(program)) return "epilogue";
  return program.bodies.size() == 1 ? "body" : fmt::format("body {}", index - body_section(0));
}

}  // namespace ddlbench::program
