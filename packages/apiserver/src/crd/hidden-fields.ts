import type { TypeSchema } from "../apply/type-schema.ts";

/**
 * Whether an apply can bring a field that its merge type takes and that pruning drops.
 *
 * To a merge, what keeps unknown fields keeps them at every depth, and a map of which nothing is known takes anything; pruning
 * goes by the schema of each place. Nobody prunes what was applied before it is stored, so that such a field is in the store and
 * is hidden from all who read, until the next write.
 */
export function mayHideFields(schema: TypeSchema | undefined): boolean {
  // The root knows its metadata, and so something.
  return schema === undefined || isOpenOnly(schema, { takes: false, keeps: false, isRoot: true });
}

/** What is true of unknown fields where a schema stands: merging takes them, pruning keeps them. */
interface Place {
  readonly takes: boolean;
  readonly keeps: boolean;
  readonly isRoot?: boolean;
}

/** Whether merging is more open than pruning, here or below. */
function isOpenOnly(schema: TypeSchema, { takes, keeps, isRoot = false }: Place): boolean {
  const { properties = {}, additionalProperties: others, items } = schema;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const here = { takes: takes || isOpen, keeps: keeps || isOpen };
  const below = { takes: here.takes, keeps: false };
  const parts = Object.values(properties);
  // Of embedded metadata pruning drops more than unknown fields.
  if (schema["x-kubernetes-embedded-resource"] === true || others === true) return true;
  const isBare = parts.length === 0 && !isRoot;
  if (schema.type === "object" && others === undefined && (here.takes || isBare) && !here.keeps) return true;
  if (typeof others === "object" && isOpenOnly(others, below)) return true;
  if (items !== undefined && isOpenOnly(items, here)) return true;
  return parts.some((part) => isOpenOnly(part, below));
}
