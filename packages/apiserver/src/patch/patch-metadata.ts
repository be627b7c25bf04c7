import type { GoType } from "../codec/type-table.ts";
import { ServerPatchError } from "./patch-failure.ts";

/** How a strategic merge patch treats one field. */
export interface PatchMetadata {
  /** The type of the field, or of the elements of a list. */
  readonly type: GoType;
  /** `merge`, `replace` or empty; retaining keys needs no word here, because the patch itself says which. */
  readonly strategy: string;
  /** By which key the elements of a list are merged; empty for plain values. */
  readonly mergeKey: string;
}

/** What the type says of a key whose value is an object. Throws a {@link ServerPatchError} when it has no such key. */
export function metadataForMap(owner: GoType, key: string): PatchMetadata {
  const type = owner.sort === "pointer" ? owner.element : owner;
  if (type.sort !== "struct" && type.sort !== "special") {
    throw unknown(`merging an object in json but data type is not struct, instead is: ${kindName(type)}`);
  }
  const member = type.sort === "struct" ? (type.byName.get(key) ?? folded(type, key)) : undefined;
  if (member === undefined) {
    const struct = type.name.slice(type.name.lastIndexOf(".") + 1);
    throw unknown(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(key)}`);
  }
  const strategies = member.patchStrategy.split(",").filter((each) => each !== "retainKeys");
  return { type: member.type, strategy: strategies[0] ?? "", mergeKey: member.patchMergeKey };
}

/** What the type says of a key whose value is a list. Throws a {@link ServerPatchError} when that is no list. */
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

/** Keys that are right but for their case are found, too, as Go's own reader finds them. */
function folded(type: GoType & { sort: "struct" }, key: string): (typeof type.members)[number] | undefined {
  const lower = key.toLowerCase();
  return type.members.find((member) => member.name.toLowerCase() === lower);
}

/** The kind of a type as Go's reflection names it. */
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
