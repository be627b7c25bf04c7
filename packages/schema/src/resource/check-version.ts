import { duplicate, forbidden, invalid, required, tooMany, type Problem } from "../problem/problem.ts";
import type { Schema } from "../structural/schema.ts";
import { checkColumns } from "./columns.ts";
import { type ConditionsDefinition, isTypeList } from "./conditions.ts";
import type { Scale, VersionDefinition } from "./definition.ts";
import { parsePath, resolvePath } from "./path.ts";
import { hasStatus } from "./root-schema.ts";

const selectableFieldsMax = 8;
const warningBytesMax = 256;

/** What is wrong with a version beside its schema: paths that lead nowhere, words that the API server refuses. */
export function checkVersion(definition: VersionDefinition, root: Schema): Problem[] {
  return [
    ...checkParts(definition, root),
    ...checkConditions(definition.conditions ?? []),
    ...checkColumns(definition, root),
    ...(definition.scale === undefined ? [] : checkScale(definition.scale, root, hasStatus(definition))),
    ...checkSelectableFields(definition.selectableFields ?? [], root),
    ...checkDeprecation(definition),
  ];
}

function checkParts(definition: VersionDefinition, root: Schema): Problem[] {
  const parts = ["spec", "status"].filter((part) => {
    const schema = root.properties?.[part];
    return schema !== undefined && schema.type !== "object";
  });
  const name = definition.name?.schema.type;
  return [
    ...parts.map((part) => invalid(part, {}, "must be an object")),
    ...(name === undefined || name === "string" ? [] : [invalid("name", {}, "must be a text field")]),
  ];
}

function checkConditions(conditions: ConditionsDefinition): Problem[] {
  if (isTypeList(conditions)) return checkWords("conditions", conditions);
  return Object.entries(conditions).flatMap(([type, reasons]) => {
    const path = `conditions.${type}`;
    const none = reasons.length === 0 ? [required(path, "list the reasons of the condition")] : [];
    return [...checkWord(path, type), ...none, ...checkWords(path, reasons)];
  });
}

/** Checks types or reasons: each in CamelCase, none twice. */
function checkWords(path: string, words: readonly string[]): Problem[] {
  return words.flatMap((value, index) => {
    const wrong = checkWord(`${path}[${index}]`, value);
    if (wrong.length > 0) return wrong;
    return words.indexOf(value) < index ? [duplicate(`${path}[${index}]`, { value })] : [];
  });
}

function checkWord(path: string, value: string): Problem[] {
  return /^[A-Z][A-Za-z0-9]*$/.test(value) ? [] : [invalid(path, { value }, "must be a word in CamelCase")];
}

function checkScale(scale: Scale, root: Schema, withStatus: boolean): Problem[] {
  const paths: [keyof Scale, string | undefined, string][] = [
    ["specReplicasPath", scale.specReplicasPath, "integer"],
    ["statusReplicasPath", scale.statusReplicasPath, "integer"],
    ["labelSelectorPath", scale.labelSelectorPath, "string"],
  ];
  return [
    ...(withStatus ? [] : [required("status", "scale reports in the status")]),
    ...paths.flatMap(([name, path, type]) => {
      if (path === undefined) return [];
      // The server splits these paths at dots and reads the value as it is, so there is no bracket and no null.
      const found = path.includes("[") ? undefined : fieldAt(root, path);
      const isRight = found?.type === type && found.nullable !== true;
      const wanted = `must lead, by names with dots between, to a field of type ${type} that is not nullable`;
      return isRight ? [] : [invalid(`scale.${name}`, { value: path }, wanted)];
    }),
  ];
}

function checkSelectableFields(paths: readonly string[], root: Schema): Problem[] {
  const problems = paths.flatMap((value, index) => {
    const path = `selectableFields[${index}]`;
    if (paths.indexOf(value) < index) return [duplicate(path, { value })];
    if (value.startsWith(".metadata")) return [forbidden(path, "must not lead into metadata")];
    const type = fieldAt(root, value)?.type;
    const isScalar = type === "string" || type === "boolean" || type === "integer";
    return isScalar ? [] : [invalid(path, { value }, "must lead to a field of type string, boolean or integer")];
  });
  return paths.length > selectableFieldsMax
    ? [...problems, tooMany("selectableFields", paths.length, selectableFieldsMax)]
    : problems;
}

/** The schema a path of plain field names leads to. */
function fieldAt(root: Schema, path: string): Schema | undefined {
  const steps = parsePath(path);
  if (steps === undefined || steps.some((step) => "items" in step)) return undefined;
  const found = resolvePath(root, steps);
  return found === undefined || "unknown" in found ? undefined : found.schema;
}

function checkDeprecation({ deprecated, deprecationWarning: value }: VersionDefinition): Problem[] {
  if (value === undefined) return [];
  const path = "deprecationWarning";
  if (deprecated !== true) return [forbidden(path, "only a deprecated version has a warning: set deprecated")];
  if (value === "") return [required(path)];
  if (new TextEncoder().encode(value).length > warningBytesMax) {
    return [invalid(path, { value }, `must have at most ${warningBytesMax} bytes`)];
  }
  return /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(value)
    ? [invalid(path, { value }, "must be one line of printable characters")]
    : [];
}
