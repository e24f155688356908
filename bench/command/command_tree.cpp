#include "bench/command/command_tree.h"

namespace ddlbench::bench {
namespace {

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (option.get_type_size_max() > 0) {
    const std::string type = option.get_type_name();  // followed by the descriptions of validators, after colons
    entry.value = type.substr(0, type.find(':'));
    if (entry.value.size() < type.size()) entry.limits = type.substr(entry.value.size() + 1);
  }
  entry.help = option.get_description();
  entry.required = option.get_required();
  entry.repeatable = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  return entry;
}

}  // namespace

CommandEntry command_tree(const CLI::App& app) {
  CommandEntry command{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    const OptionEntry entry = entry_of(*option);
    if (option->nonpositional()) command.options.push_back(entry);
    if (option->get_positional()) {
      command.options.push_back(entry);
      command.options.back().names = {option->get_name(true)};
      command.options.back().positional = true;
    }
  }
  for (const CLI::App* subcommand :
       app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    command.subcommands.push_back(command_tree(*subcommand));
  }
  return command;
}

}  // namespace ddlbench::bench
