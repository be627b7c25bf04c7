import type { GoType } from "../codec/type-table.ts";
import { ServerPatchError } from "./patch-failure.ts";

/** Rules of the strategic merge of one field, from the tags of its Go struct. */
export interface PatchMetadata {
  /** Type of the field, or of the elements of a list. */
  readonly type: GoType;
  /** `merge`, `replace` or empty. `retainKeys` is omitted, because the patch itself contains the keys to retain. */
  readonly strategy: string;
  /** Key by which elements of a list are merged; empty for primitive values. */
  readonly mergeKey: string;
}

/**
 * Returns the rules of a key with an object as its value. Throws a {@link ServerPatchError} if the type has no such
 * key.
 */
export function metadataForMap(owner: GoType, key: string): PatchMetadata {
  const type = owner.sort === "pointer" ? owner.element : owner;
  if (type.sort !== "struct" && type.sort !== "special") {
    throw unknown(`merging an object in json but data type is not struct, instead is: ${kindName(type)}`);
  }
  const member = type.sort === "struct" ? (type.byName.get(key) ?? findIgnoringCase(type, key)) : undefined;
  if (member === undefined) {
    const struct = type.name.slice(type.name.lastIndexOf(".") + 1);
    throw unknown(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(key)}`);
  }
  const strategies = member.patchStrategy.split(",").filter((each) => each !== "retainKeys");
  return { type: member.type, strategy: strategies[0] ?? "", mergeKey: member.patchMergeKey };
}

/** Returns the rules of a key with a list as its value. Throws a {@link ServerPatchError} if its type is not a list. */
export function metadataForList(owner: GoType, key: string): PatchMetadata {
  const metadata = metadataForMap(owner, key);
  const { type } = metadata;
  if (type.sort === "list" || type.sort === "wrapped") {
    if (type.element.sort === "list" || type.element.sort === "bytes") throw unknown("unexpected slice of slice");
    return { ...metadata, type: type.element };
  }
  if (type.sort === "bytes") return { ...metadata, type: { sort: "int32", name: "uint8" } };
  if (type.sort === "pointer") {
    const { element } = type;
    return { ...metadata, type: element.sort === "list" ? element.element : element };
  }
  const ownerKind = owner.sort === "pointer" ? "ptr" : kindName(owner);
  throw unknown(`expected slice or array type, but got: ${ownerKind}`);
}

/** Finds a member by name without regard to case, as Go's JSON decoder does. */
function findIgnoringCase(type: GoType & { sort: "struct" }, key: string): (typeof type.members)[number] | undefined {
  const lower = key.toLowerCase();
  return type.members.find((member) => member.name.toLowerCase() === lower);
}

/** Returns the kind of a type as Go's reflection names it. */
export function kindName(type: GoType): string {
  switch (type.sort) {
    case "pointer":
      return "ptr";
    case "list":
    case "wrapped":
    case "bytes":
      return "slice";
    case "special":
      return "struct";
    case "any":
      return "interface";
    default:
      return type.sort;
  }
}

function unknown(message: string): ServerPatchError {
  return new ServerPatchError("unknown", message);
}
