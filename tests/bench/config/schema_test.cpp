#include "bench/config/schema.h"

#include "bench/config/fields.h"
#include "catch.h"
#include "fakes.h"

using namespace ddlbench::bench;
using Json = nlohmann::ordered_json;

TEST_CASE("the schema matches the table of settings") {
  const Json whole = schema(experiment_fields(fake_registries()));
  CHECK(whole["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(whole["additionalProperties"] == false);
  CHECK(whole["required"] == Json({"name", "strategies", "workload", "training", "devices"}));

  const Json& training = whole["properties"]["training"];
  CHECK(training["required"] == Json({"optimizer"}));
  CHECK(training["properties"]["epochs"] == Json{{"type", "integer"},
                                                 {"minimum", 1},
                                                 {"maximum", 100000},
                                                 {"description", "Passes over the training samples."},
                                                 {"default", 1}});
  CHECK(training["properties"]["precision"]["anyOf"][0]["enum"] == Json::array({"fp32", "tf32", "bf16", "fp16"}));

  // What may be a list is defined once.
  const Json& workloads = whole["properties"]["workload"]["anyOf"];
  CHECK(workloads[0] == Json{{"$ref", "#/$defs/workload"}});
  CHECK(workloads[1]["items"] == workloads[0]);
  const Json& workload = whole["$defs"]["workload"];
  const Json& models = workload["properties"]["model"]["anyOf"];
  CHECK(models[0] == Json{{"$ref", "#/$defs/model"}});
  CHECK(models[1]["items"] == models[0]);
  CHECK(whole["$defs"]["model"]["anyOf"][0]["enum"] == Json({"mlp", "lenet"}));
  const Json& batch = workload["properties"]["global_batch"]["anyOf"];
  CHECK(batch[0] == Json{{"type", "integer"}, {"minimum", 1}, {"maximum", 16777216}});
  CHECK(batch[1]["items"] == batch[0]);
  CHECK(batch[1]["minItems"] == 1);
  CHECK(batch[1]["uniqueItems"] == true);

  const Json& strategies = whole["properties"]["strategies"];
  CHECK(strategies["minItems"] == 1);
  CHECK(strategies["items"]["anyOf"][0]["enum"] == Json({"single", "ddp", "tensor", "gpipe", "hybrid"}));
  const Json& gpipe = strategies["items"]["anyOf"][4];
  CHECK(gpipe["properties"]["kind"]["const"] == "gpipe");
  CHECK(gpipe["required"] == Json::array({"kind"}));
  CHECK(gpipe["properties"]["balance"]["anyOf"][0]["enum"] == Json({"time", "memory"}));
  const Json& mesh = strategies["items"]["anyOf"][5]["properties"]["mesh"]["anyOf"][0];
  CHECK(mesh["additionalProperties"]["minimum"] == 1);
  CHECK(mesh["propertyNames"]["enum"] == Json({"data", "tensor", "pipeline"}));

  // An optimizer requires a learning rate, so a bare name is not allowed.
  const Json& optimizer = whole["$defs"]["optimizer"]["anyOf"];
  CHECK(optimizer[0]["properties"]["kind"]["const"] == "sgd");
  CHECK(optimizer[0]["required"] == Json({"kind", "learning_rate"}));
  const Json& settings = optimizer[0]["properties"];
  CHECK(settings["nesterov"]["anyOf"][0]["type"] == "boolean");
  CHECK(whole["$defs"]["learning_rate"]["anyOf"][0]["exclusiveMinimum"] == 0.0);
  CHECK(whole["$defs"]["momentum"]["anyOf"][0]["maximum"] == 0.999999);

  // Settings that kinds share are defined once, apart from their defaults. Settings that share only their name are not.
  CHECK(settings["learning_rate"] == Json{{"$ref", "#/$defs/learning_rate"}});
  CHECK(settings["momentum"] == Json{{"$ref", "#/$defs/momentum"}, {"default", 0.0}});
  CHECK(optimizer[3]["properties"]["momentum"] == Json{{"$ref", "#/$defs/momentum"}, {"default", 0.9}});
  CHECK(gpipe["properties"]["microbatches"] == Json{{"$ref", "#/$defs/microbatches"}, {"default", 4}});
  CHECK(gpipe["properties"]["expect"] == Json{{"$ref", "#/$defs/expect"}, {"default", "ok"}});
  CHECK(whole["$defs"]["weight_decay"]["description"] == "L2 penalty: added to the gradient, times the weight.");
  CHECK(optimizer[2]["properties"]["weight_decay"]["description"] ==
        "Subtracted from the weight at each step, times the learning rate and the weight.");

  // Lists and nested choices.
  const Json& tensor = strategies["items"]["anyOf"][3]["properties"];
  const Json& widths = tensor["widths"]["anyOf"];
  CHECK(widths[0] == Json{{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 1}, {"maximum", 64}}}});
  CHECK(widths[1]["items"] == widths[0]);
  CHECK(tensor["widths"]["description"] == "Of the parts.");
  CHECK(tensor["widths"]["default"] == Json({2}));
  CHECK(tensor["again"]["anyOf"][0]["items"] == Json{{"type", "string"}, {"enum", {"gelu", "norm"}}});
  CHECK(tensor["again"]["anyOf"][0]["uniqueItems"] == true);
  CHECK(tensor["codec"]["anyOf"][0] == Json{{"$ref", "#/$defs/codec"}});
  CHECK(whole["$defs"]["codec"]["anyOf"][0]["enum"] == Json({"none", "top"}));
  CHECK(tensor["codec"]["default"] == "none");
}

TEST_CASE("the schema's text is the schema, with everything on one line that fits on one") {
  const Field table = experiment_fields(fake_registries());
  const std::string text = schema_text(table);
  CHECK(Json::parse(text) == schema(table));
  CHECK(text.find("        \"epochs\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 100000,\n"
                  "          \"description\": \"Passes over the training samples.\", \"default\": 1},\n") !=
        std::string::npos);
  CHECK(text.find("\"momentum\": {\"$ref\": \"#/$defs/momentum\", \"default\": 0.0},\n") != std::string::npos);
}

TEST_CASE("the documentation's table has a row for every setting") {
  const std::string text = markdown(experiment_fields(fake_registries()));
  CHECK(text.find("| `/training/epochs` | an integer from 1 to 100000 | `1` | Passes over the training samples. |\n") !=
        std::string::npos);
  CHECK(text.find("| `/workload/global_batch` | an integer from 1 to 16777216, or a list of them | required | ") !=
        std::string::npos);
  CHECK(text.find("### Kinds of `/strategies`\n") != std::string::npos);
  CHECK(text.find("**`hybrid`**: A mesh of axes.\n") != std::string::npos);
  CHECK(
      text.find(
          "| `mesh` | an object of mesh axes and their sizes, such as {\"data\": 2} | `{}` | Sizes of the axes. |\n") !=
      std::string::npos);
}
