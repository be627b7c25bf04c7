import { type StrategicField, StrategicPatchError, type StrategicType } from "@homeostat/core";
import type { GoType, Member } from "../codec/type-table.ts";

/** A Go type with the rules of its fields for strategic merge patches. Errors are those of kube-apiserver. */
export class GoPatchType implements StrategicType {
  readonly #type: GoType;

  constructor(type: GoType) {
    this.#type = type;
  }

  get goKind(): string {
    return kindName(this.#type);
  }

  objectField(key: string): StrategicField {
    const member = this.#member(key);
    return { ...rulesOf(member), type: new GoPatchType(member.type) };
  }

  listField(key: string): StrategicField {
    const member = this.#member(key);
    const rules = rulesOf(member);
    const { type } = member;
    if (type.sort === "list" || type.sort === "wrapped") {
      if (type.element.sort === "list" || type.element.sort === "bytes") throw unknown("unexpected slice of slice");
      return { ...rules, type: new GoPatchType(type.element) };
    }
    if (type.sort === "bytes") return { ...rules, type: new GoPatchType({ sort: "int32", name: "uint8" }) };
    if (type.sort === "pointer") {
      const { element } = type;
      return { ...rules, type: new GoPatchType(element.sort === "list" ? element.element : element) };
    }
    throw unknown(`expected slice or array type, but got: ${this.goKind}`);
  }

  #member(key: string): Member {
    const type = this.#type.sort === "pointer" ? this.#type.element : this.#type;
    if (type.sort !== "struct" && type.sort !== "special") {
      throw unknown(`merging an object in json but data type is not struct, instead is: ${kindName(type)}`);
    }
    const member = type.sort === "struct" ? (type.byName.get(key) ?? findIgnoringCase(type, key)) : undefined;
    if (member !== undefined) return member;
    const struct = type.name.slice(type.name.lastIndexOf(".") + 1);
    throw unknown(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(key)}`);
  }
}

function rulesOf({ patchStrategy, patchMergeKey }: Member): Pick<StrategicField, "strategy" | "mergeKey"> {
  const strategies = patchStrategy.split(",").filter((each) => each !== "retainKeys");
  return { strategy: strategies[0] ?? "", mergeKey: patchMergeKey };
}

/** Finds a member by name without regard to case, as Go's JSON decoder does. */
function findIgnoringCase(type: GoType & { sort: "struct" }, key: string): Member | undefined {
  const lower = key.toLowerCase();
  return type.members.find((member) => member.name.toLowerCase() === lower);
}

/** Returns the kind of a type as Go's reflection names it. */
function kindName(type: GoType): string {
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

function unknown(message: string): StrategicPatchError {
  return new StrategicPatchError("unknown", [message]);
}
