"""The JSON Schema of scene files, and what it says of a value."""
import json
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read_schema():
    with open(os.path.join(ROOT, "scenarios", "scene.schema.json"), encoding="utf-8") as file:
        return json.load(file)


def validate(value, schema, root, place="scene"):
    """the faults of a value by the part of JSON Schema that scene.schema.json uses"""
    if "$ref" in schema:
        return validate(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, place)
    kinds = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int}
    asked = schema.get("type", [])
    asked = asked if isinstance(asked, list) else [asked]
    faults = []
    if asked and not any(isinstance(value, kinds[kind]) for kind in asked):
        return [f"{place}: {value!r:.40} is no {asked}"]
    if "enum" in schema and value not in schema["enum"]:
        faults.append(f"{place}: {value!r:.40} is none of {schema['enum']}")
    if isinstance(value, dict):
        faults += [f"{place}: lacks {key}" for key in schema.get("required", []) if key not in value]
        for key, member in value.items():
            if key in schema.get("properties", {}):
                faults += validate(member, schema["properties"][key], root, f"{place}.{key}")
            elif schema.get("additionalProperties", True) is False:
                faults.append(f"{place}: knows no {key}")
    elif isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            faults.append(f"{place}: {len(value)} items")
        for i, item in enumerate(value):
            faults += validate(item, schema.get("items", {}), root, f"{place}[{i}]")
    elif isinstance(value, (int, float)):
        if not schema.get("minimum", value) <= value <= schema.get("maximum", value) or value <= schema.get("exclusiveMinimum", value - 1):
            faults.append(f"{place}: {value} is out of range")
    return faults
