import type { TypeSchema } from "../apply/type-schema.ts";

/**
 * Reports whether an apply can add a field that its merge type accepts but that pruning drops.
 *
 * For merging, `x-kubernetes-preserve-unknown-fields` applies to all levels below, and an object without properties
 * accepts any field; pruning decides by the schema of each level. The result of an apply is not pruned before it is
 * stored, so such a field is in the store, but hidden from all readers, until the next write. This is the behaviour of
 * the real server.
 */
export function mayHideFields(schema: TypeSchema | undefined): boolean {
  // The root is not without properties: it has its metadata.
  return schema === undefined || mergesMoreThanItKeeps(schema, { accepts: false, keeps: false, isRoot: true });
}

/** Handling of unknown fields at a level: whether merging accepts them, and whether pruning keeps them. */
interface LevelRules {
  readonly accepts: boolean;
  readonly keeps: boolean;
  readonly isRoot?: boolean;
}

/** Reports whether merging accepts more fields than pruning keeps, at this level or below. */
function mergesMoreThanItKeeps(schema: TypeSchema, { accepts, keeps, isRoot = false }: LevelRules): boolean {
  const { properties = {}, additionalProperties: others, items } = schema;
  const preservesUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const here = { accepts: accepts || preservesUnknown, keeps: keeps || preservesUnknown };
  const below = { accepts: here.accepts, keeps: false };
  const parts = Object.values(properties);
  // In embedded metadata, pruning drops more than unknown fields.
  if (schema["x-kubernetes-embedded-resource"] === true || others === true) return true;
  const hasNoProperties = parts.length === 0 && !isRoot;
  if (schema.type === "object" && others === undefined && (here.accepts || hasNoProperties) && !here.keeps) return true;
  if (typeof others === "object" && mergesMoreThanItKeeps(others, below)) return true;
  if (items !== undefined && mergesMoreThanItKeeps(items, here)) return true;
  return parts.some((part) => mergesMoreThanItKeeps(part, below));
}
