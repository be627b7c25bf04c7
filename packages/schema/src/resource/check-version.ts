import { duplicate, forbidden, invalid, required, tooMany, type Problem } from "../problem/problem.ts";
import type { Schema } from "../structural/schema.ts";
import { checkColumns } from "./columns.ts";
import { type ConditionsDefinition, isTypeList } from "./conditions.ts";
import type { Scale, VersionDefinition } from "./definition.ts";
import { parsePath, resolvePath } from "./path.ts";
import { hasStatus } from "./root-schema.ts";

const selectableFieldsMax = 8;
const warningBytesMax = 256;

/**
 * Checks a version apart from its schema: paths of columns, scale and selectable fields, condition types and reasons, and the
 * deprecation warning.
 */
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
    ...(name === undefined || name === "string"
      ? []
      : [invalid("name", {}, "must be a string field, such as s.string().max(40)")]),
  ];
}

function checkConditions(conditions: ConditionsDefinition): Problem[] {
  if (isTypeList(conditions)) return checkNames("conditions", conditions);
  return Object.entries(conditions).flatMap(([type, reasons]) => {
    const path = `conditions.${type}`;
    const none = reasons.length === 0 ? [required(path, "list at least one reason of the condition")] : [];
    return [...checkName(path, type), ...none, ...checkNames(path, reasons)];
  });
}

/** Checks condition types or reasons: each in CamelCase and unique. */
function checkNames(path: string, names: readonly string[]): Problem[] {
  return names.flatMap((value, index) => {
    const problems = checkName(`${path}[${index}]`, value);
    if (problems.length > 0) return problems;
    return names.indexOf(value) < index ? [duplicate(`${path}[${index}]`, { value })] : [];
  });
}

function checkName(path: string, value: string): Problem[] {
  return /^[A-Z][A-Za-z0-9]*$/.test(value)
    ? []
    : [invalid(path, { value }, "must be CamelCase: letters and digits, starting with an uppercase letter")];
}

function checkScale(scale: Scale, root: Schema, withStatus: boolean): Problem[] {
  const paths: [keyof Scale, string | undefined, string][] = [
    ["specReplicasPath", scale.specReplicasPath, "integer"],
    ["statusReplicasPath", scale.statusReplicasPath, "integer"],
    ["labelSelectorPath", scale.labelSelectorPath, "string"],
  ];
  return [
    ...(withStatus ? [] : [required("status", "scale needs a status to report the replicas")]),
    ...paths.flatMap(([name, path, type]) => {
      if (path === undefined) return [];
      // The API server splits these paths at dots and reads the value without conversion, so brackets and null are not
      // supported.
      const found = path.includes("[") ? undefined : fieldAt(root, path);
      const isValid = found?.type === type && found.nullable !== true;
      const detail = `must be a path of names separated by dots to a field of type ${type} that is not nullable`;
      return isValid ? [] : [invalid(`scale.${name}`, { value: path }, detail)];
    }),
  ];
}

function checkSelectableFields(paths: readonly string[], root: Schema): Problem[] {
  const problems = paths.flatMap((value, index) => {
    const path = `selectableFields[${index}]`;
    if (paths.indexOf(value) < index) return [duplicate(path, { value })];
    if (value.startsWith(".metadata")) return [forbidden(path, "must not be a path into metadata")];
    const type = fieldAt(root, value)?.type;
    const isScalar = type === "string" || type === "boolean" || type === "integer";
    return isScalar ? [] : [invalid(path, { value }, "must be the path of a field of type string, boolean or integer")];
  });
  return paths.length > selectableFieldsMax
    ? [...problems, tooMany("selectableFields", paths.length, selectableFieldsMax)]
    : problems;
}

/** Returns the schema of the field at a path. Undefined if there is no such field or the path enters a list. */
function fieldAt(root: Schema, path: string): Schema | undefined {
  const steps = parsePath(path);
  if (steps === undefined || steps.some((step) => "items" in step)) return undefined;
  const found = resolvePath(root, steps);
  return found === undefined || "unknown" in found ? undefined : found.schema;
}

function checkDeprecation({ deprecated, deprecationWarning: value }: VersionDefinition): Problem[] {
  if (value === undefined) return [];
  const path = "deprecationWarning";
  if (deprecated !== true) return [forbidden(path, "requires deprecated: true")];
  if (value === "") return [required(path)];
  if (new TextEncoder().encode(value).length > warningBytesMax) {
    return [invalid(path, { value }, `must have at most ${warningBytesMax} bytes`)];
  }
  return /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(value)
    ? [invalid(path, { value }, "must be one line of printable characters")]
    : [];
}
