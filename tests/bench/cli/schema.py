"""The configuration's JSON schema, in an independent validator: it must accept what the parser accepts, and reject what the
parser rejects."""

import copy
import json
import pathlib
import random
import sys
import unittest

from harness import CommandTest

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

CONFIGS = pathlib.Path(__file__).parents[3] / "configs"
MUTATIONS = 100

# One setting of every kind.
RICH = {
    "name": "rich",
    "workload": {
        "model": [{"kind": "mlp", "hidden": [16, 8]}, {"kind": "cnn-fc", "channels": [4], "padding": [1]}],
        "dataset": {"kind": "synthetic", "shape": "1x8x8", "classes": 4, "train_samples": 256, "learnable": True},
        "global_batch": [16, 32],
        "loader": {"workers": 1, "prefetch": 2, "corrupt": "skip"},
    },
    "training": {
        "epochs": 4, "seed": 1, "precision": "fp16",
        "loss_scale": {"kind": "dynamic", "initial": 1024, "growth_interval": 5},
        "optimizer": {"kind": "lars", "learning_rate": 0.05, "momentum": 0.9, "trust_coefficient": 0.002, "exempt_vectors": False},
        "schedule": {"kind": "step", "milestones": [1, 3], "factor": 0.5},
        "warmup_steps": 2, "warmup_start": 0.1, "clip_norm": 1.5, "loss": "cross_entropy", "label_smoothing": 0.1,
        "target": {"loss": 0.5, "accuracy": 0.9},
        "checkpoint": {"save": "saved", "every_epochs": 2, "every_steps": 30, "every_seconds": 0.5, "resume": False},
    },
    "devices": {"kind": "cpu", "transport": "threads", "collectives": "ring", "deterministic": True, "ranks": [1, 2],
                "throttle": {"latency_seconds": 0.001}, "threads_per_rank": 1, "memory_bytes": 1000000000},
    "strategies": [
        {"kind": "single", "microbatches": 2, "recompute": ["linear"]},
        {"kind": "zero", "stage": 1, "bucket_mebibytes": 0.5, "overlap": False, "expect": "ok"},
        {"kind": "hybrid", "mesh": {"data": 2, "pipeline": 2}, "schedule": "1f1b", "ranks": 4},
    ],
    "measure": {"warmup_steps": 0, "steps": 2, "repetitions": 1, "verify_steps": 1, "timeout_seconds": 20.5},
}


class Mutants:
    """Copies of a document, each with one value that violates the schema at its place."""

    def __init__(self, schema, document):
        self.schema = schema
        self.document = document
        self.found = []
        self.visit((), document, schema)

    def resolved(self, schema):
        return self.schema["$defs"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema

    def changed(self, path, change):
        document = copy.deepcopy(self.document)
        parent = document
        for token in path[:-1]:
            parent = parent[token]
        change(parent, path[-1])
        return document

    def put(self, path, *values):
        for value in values:
            def change(parent, token, value=value):
                parent[token] = value
            self.found.append((path, value, self.changed(path, change)))

    def without(self, path):
        self.found.append((path, "left out", self.changed(path, lambda parent, token: parent.pop(token))))

    def visit(self, path, value, schema):
        schema = self.resolved(schema)
        if "anyOf" in schema:
            return self.visit_choice(path, value, [self.resolved(one) for one in schema["anyOf"]])
        if isinstance(value, dict):
            return self.visit_object(path, value, schema)
        if isinstance(value, list):
            self.put(path, None, {}, "text")
            if schema.get("minItems"):
                self.put(path, [])
            if schema.get("uniqueItems") and value:
                self.put(path, [value[0], value[0]])
            for i, one in enumerate(value):
                self.visit((*path, i), one, schema["items"])
            return None
        return self.visit_scalar(path, value, schema)

    def visit_choice(self, path, value, alternatives):
        if isinstance(value, list):
            return self.visit(path, value, next(one for one in alternatives if one.get("type") == "array"))
        if not isinstance(value, dict):
            return self.visit(path, value, next(one for one in alternatives if one.get("type") != "array"))
        if "kind" not in value:
            return self.visit(path, value, next(one for one in alternatives if one.get("type") == "object"))
        for one in alternatives:
            if "$ref" not in one and "anyOf" in one:
                return self.visit_choice(path, value, [self.resolved(inner) for inner in one["anyOf"]])
        kinds = {one["properties"]["kind"]["const"]: one for one in alternatives if one.get("type") == "object"}
        self.put(path, None, 7)
        self.put((*path, "kind"), value["kind"] + "s", "", 7, None)
        return self.visit_object(path, value, kinds[value["kind"]])

    def visit_object(self, path, value, schema):
        if path:
            self.put(path, None, 7, "unheard of")
        closed = schema.get("additionalProperties")
        for key in schema.get("required", []):
            self.without((*path, key))
        if closed is False or "propertyNames" in schema:
            self.put((*path, "unheard_of"), 1)
        for key, inner in value.items():
            if key != "kind":
                self.visit((*path, key), inner, schema["properties"][key] if closed is False else closed)

    def visit_scalar(self, path, value, schema):
        self.put(path, None, {})
        if isinstance(value, str):
            self.put(path, 12, True)
            if "enum" in schema:
                self.put(path, value + "s", value.upper())
            if schema.get("minLength") or "pattern" in schema:
                self.put(path, "")
        elif isinstance(value, bool):
            self.put(path, 12, "true")
        else:
            self.put(path, "12", False)
            if schema["type"] == "integer":
                self.put(path, 0.5)
            if "minimum" in schema:
                self.put(path, schema["minimum"] - 1)
            if "exclusiveMinimum" in schema:
                self.put(path, schema["exclusiveMinimum"])
            if "maximum" in schema:
                self.put(path, schema["maximum"] * 2 + 1)


class Schema(CommandTest):
    def setUp(self):
        super().setUp()
        self.schema = json.loads(self.command("schema").stdout)
        Draft202012Validator.check_schema(self.schema)
        self.validator = Draft202012Validator(self.schema)

    def test_every_configuration_is_accepted(self):
        paths = [path for path in (*CONFIGS.glob("*.json"), *CONFIGS.glob("gpu/*.json"))
                 if not path.name.endswith(".schema.json")]
        self.assertGreater(len(paths), 8)
        for path in paths:
            with self.subTest(path.name):
                self.validator.validate(json.loads(path.read_text()))

    def test_what_the_parser_rejects_is_rejected(self):
        self.validator.validate(RICH)
        taken = self.command("--config", self.write(RICH), "--dry-run")
        self.assertEqual(taken.returncode, 0, taken.stderr)
        mutants = Mutants(self.schema, RICH).found
        self.assertGreater(len(mutants), 3 * MUTATIONS)
        for path, value, document in random.Random(1).sample(mutants, MUTATIONS):
            with self.subTest("/" + "/".join(map(str, path)), value=value):
                rejected = self.command("--config", self.write(document), "--dry-run")
                self.assertEqual(rejected.returncode, 2, rejected.stdout)
                self.assertFalse(self.validator.is_valid(document))

    def test_each_setting_stands_once(self):
        """Settings that several kinds share must be references."""
        def settings(value):
            if isinstance(value, dict):
                for name, one in value.get("properties", {}).items():
                    if "description" in one:
                        yield name, json.dumps({key: of for key, of in one.items() if key != "default"}, sort_keys=True)
                for inner in value.values():
                    yield from settings(inner)
            elif isinstance(value, list):
                for inner in value:
                    yield from settings(inner)
        found = list(settings(self.schema))
        self.assertEqual(sorted(found), sorted(set(found)))


if __name__ == "__main__":
    unittest.main()
