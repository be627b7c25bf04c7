import { isRecord } from "@homeostat/core";
import type { Field } from "../validation/field.ts";
import { fieldOf, textOf } from "../values/properties.ts";

const countMax = 8;

/** Validates `selectableFields` against the schema they refer to. */
export function checkSelectableFields(fields: Field, schema: unknown): void {
  const seen = new Set<string>();
  for (const each of fields.items()) {
    const path = each.at("jsonPath");
    if (path.text === "") {
      path.required();
      continue;
    }
    const found = resolvePath(path.text, schema);
    if (found.problem !== undefined) {
      path.invalid(`is an invalid path: ${found.problem}`);
      continue;
    }
    if (found.steps[0] === "metadata") path.invalid("must not point to fields in metadata");
    if (!["string", "boolean", "integer"].includes(textOf(found.schema, "type"))) {
      path.invalid(
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
      );
    }
    const name = found.steps.join(".");
    if (seen.has(name)) path.duplicate();
    seen.add(name);
  }
  if (seen.size > countMax) {
    const detail = `must have at most ${countMax} items`;
    const message = `Too many: ${seen.size}: ${detail}`;
    fields.problems.push({ path: fields.path, type: "TooMany", detail, value: seen.size, message });
  }
}

type ResolvedPath =
  | { readonly problem: string }
  | { readonly problem?: undefined; readonly steps: readonly string[]; readonly schema: unknown };

/** Resolves a path such as `.spec.color` in a schema. Array elements cannot be selected. */
function resolvePath(path: string, root: unknown): ResolvedPath {
  const tokens = path.match(/'(?:\\'|[^'])*'|[.[\]]|[^.[\]]+/g) ?? [];
  const steps: string[] = [];
  let schema = root;
  for (let at = 0; at < tokens.length; at += 2) {
    const token = tokens[at];
    if (token === "[") return { problem: "array notation is not allowed" };
    if (token !== ".") return { problem: `expected [ or . but got: ${token}` };
    const name = tokens[at + 1];
    if (name === undefined) return { problem: "unexpected end of JSON path" };
    const [properties, additional] = [fieldOf(schema, "properties"), fieldOf(schema, "additionalProperties")];
    if (isRecord(properties)) {
      schema = fieldOf(properties, name);
      if (schema === undefined) return { problem: "does not refer to a valid field" };
    } else if (additional === undefined) return { problem: "does not refer to a valid field" };
    else schema = additional;
    steps.push(name);
  }
  return { steps, schema };
}
