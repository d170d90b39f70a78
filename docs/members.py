"""The members of scene files: scenarios/scene.schema.json, and the tables in docs/scene.md, from the program's own.

    python3 docs/members.py [--program build/release/ncpbench] [--check]

The schema is `ncpbench list --format schema`. What stands between the lines `<!-- members -->` and `<!-- end of members -->` of the page is replaced by
a table for each kind of object. With --check nothing is written, and the exit status is 1 where a file is out of date.
"""
import json
import re
import subprocess
import sys

from options import command, head, read, row

PAGE, SCHEMA = "docs/scene.md", "scenarios/scene.schema.json"
MARKED = re.compile(r"(<!-- members -->\n).*?(<!-- end of members -->\n)", re.S)


def printed(program):
    """the schema as the program prints it"""
    return subprocess.run([program, "list", "--format", "schema"], check=True, capture_output=True, text=True).stdout


def kind(schema):
    """what a member holds"""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "enum" in schema:
        return ", ".join(f"`{name}`" for name in schema["enum"])
    if schema["type"] != "array":
        return {"string": "text"}.get(schema["type"], schema["type"])
    item = kind(schema["items"])
    item += "s" * (item in ("number", "integer"))
    fixed = "maxItems" in schema and schema.get("minItems") == schema["maxItems"]
    return f"{schema['maxItems']} {'x ' * item[0].isdigit()}{item}" if fixed else f"list of {item}"


def table(name, described):
    """the lines of one kind of object"""
    rows = [row(f"`{member}`", kind(of), of.get("x-unit", ""),
                "required" if member in described["required"] else of.get("x-default", ""), of.get("x-frame", ""), of["description"])
            for member, of in described["properties"].items()]
    return [f"**{name}**: {described['description'].rstrip('.')}.", "", *head("member", "type", "unit", "default", "axes", "meaning"), *rows, ""]


def renewed(program, text):
    """the page with the present tables; settings are options of the command line, which `ncpbench run --help` lists"""
    schema = json.loads(printed(program))
    objects = {"scene": schema, **{name: of for name, of in schema["$defs"].items() if name != "settings"}}
    lines = [line for name, of in objects.items() for line in table(name, of)]
    return MARKED.sub(lambda m: m[1] + "\n" + "\n".join(lines) + "\n" + m[2], text)


def stale(program):
    """{path: text} of the files that are out of date"""
    fresh = {SCHEMA: printed(program), PAGE: renewed(program, read(PAGE))}
    return {path: text for path, text in fresh.items() if text != read(path)}


if __name__ == "__main__":
    sys.exit(command(__doc__, stale))
