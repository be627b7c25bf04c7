import { isList, isRecord, type JsonRecord, once, ownValue } from "@homeostat/core";
import { typeTableText } from "./generated/type-table-text.ts";

/** A scalar type. `bytes` is base64 text in JSON; `any` is any value. */
export interface PlainType {
  readonly sort: "string" | "bool" | "int32" | "int64" | "float64" | "any" | "bytes";
  /** Go name of the type, as messages show it: `v1.Protocol`. */
  readonly name: string;
}

/** A type with custom serialization: times, quantities, raw values. */
export interface SpecialType {
  readonly sort: "special";
  readonly name: string;
}

/** A type derived from another: pointers, lists, maps, and lists that are their own protobuf message (`wrapped`). */
export interface ContainerType {
  readonly sort: "pointer" | "map" | "list" | "wrapped";
  readonly name: string;
  readonly element: GoType;
}

/** A key of a JSON object, which may be in an embedded Go struct. */
export interface Member {
  readonly name: string;
  readonly type: GoType;
  /** Index among all members of the struct. */
  readonly index: number;
  /** Omitted from JSON if it is empty. */
  readonly omitEmpty: boolean;
  /** Omitted from JSON if it is Go's zero value. */
  readonly omitZero: boolean;
  /** Names of the embedded structs that contain it, as messages show them. */
  readonly embedded: readonly string[];
  /** Patch strategy of a strategic merge patch: `merge`, `replace`, `merge,retainKeys`; empty if there is none. */
  readonly patchStrategy: string;
  /** Key by which a strategic merge patch merges list elements. */
  readonly patchMergeKey: string;
}

/** A field of a protobuf message: a member, or an embedded struct whose members begin at `offset`. */
export interface WireField {
  readonly number: number;
  readonly type: GoType;
  readonly isEmbedded: boolean;
  /** Index of the member, or of the first member of the embedded struct. */
  readonly offset: number;
}

/** A struct: a JSON object with known keys, and a protobuf message with known field numbers. */
export interface StructType {
  readonly sort: "struct";
  readonly name: string;
  readonly members: readonly Member[];
  readonly byName: ReadonlyMap<string, Member>;
  /** In ascending order of field numbers. */
  readonly wire: readonly WireField[];
  readonly byNumber: ReadonlyMap<number, WireField>;
}

/** A type of the Kubernetes API as defined in Go. */
export type GoType = PlainType | SpecialType | ContainerType | StructType;

/** All types of the API, and the type of each kind. */
export interface TypeTable {
  /** Returns the type of a built-in kind, or undefined: `kindType("apps/v1", "Deployment")`. */
  kindType(apiVersion: string, kind: string): StructType | undefined;
  /** All kinds as `[apiVersion, kind]`, sorted. */
  readonly kinds: readonly (readonly [string, string])[];
  /** Type of the schemas in a CustomResourceDefinition. */
  readonly schemaProps: StructType;
}

/** Returns the types of Kubernetes 1.36. The table is parsed on first use, which takes a few milliseconds. */
export const typeTable: () => TypeTable = once(() => new Table(JSON.parse(typeTableText)));

const omitEmptyFlag = 1;
const omitZeroFlag = 2;
const inlineFlag = 4;

class Table implements TypeTable {
  readonly #rows: readonly unknown[];
  readonly #kinds = new Map<string, number>();
  readonly #types = new Map<number, GoType>();
  readonly #schemaProps = once(() => {
    const number = this.#rows.findIndex((row) => isList(row) && row[0] === "struct" && row[1] === "v1.JSONSchemaProps");
    const type = this.at(number);
    if (type.sort !== "struct") throw invalidTable("no schemas");
    return type;
  });
  readonly kinds: readonly (readonly [string, string])[];

  constructor(data: unknown) {
    const { rows, kinds } = readData(data);
    this.#rows = rows;
    this.kinds = kinds.map(([apiVersion, kind, number]) => {
      this.#kinds.set(`${apiVersion} ${kind}`, number);
      return [apiVersion, kind];
    });
  }

  kindType(apiVersion: string, kind: string): StructType | undefined {
    const number = this.#kinds.get(`${apiVersion} ${kind}`);
    const type = number === undefined ? undefined : this.at(number);
    return type?.sort === "struct" ? type : undefined;
  }

  get schemaProps(): StructType {
    return this.#schemaProps();
  }

  at(number: number): GoType {
    const cached = this.#types.get(number);
    if (cached !== undefined) return cached;
    const type = this.#make(this.#rows[number]);
    this.#types.set(number, type);
    return type;
  }

  #make(row: unknown): GoType {
    if (!isList(row) || typeof row[1] !== "string") throw invalidTable("a row is not a type");
    const [sort, name, parts] = row;
    switch (sort) {
      case "string":
      case "bool":
      case "int32":
      case "int64":
      case "float64":
      case "any":
      case "bytes":
      case "special":
        return { sort, name };
      case "pointer":
      case "map":
      case "list":
      case "wrapped":
        // Types may be recursive, so the element type is resolved on first use.
        return new Container(sort, name, () => this.at(Number(parts)));
      case "struct":
        return new Struct(name, () => this.#layout(parts));
      default:
        throw invalidTable(`unknown type sort ${String(sort)}`);
    }
  }

  #layout(parts: unknown): Layout {
    const members: Member[] = [];
    const wire: WireField[] = [];
    for (const row of isList(parts) ? parts : []) {
      if (!isList(row)) throw invalidTable("a field is not a list");
      const [name, typeNumber, number, flags, patchStrategy = "", patchMergeKey = ""] = row;
      const type = this.at(Number(typeNumber));
      const offset = members.length;
      const isEmbedded = (Number(flags) & inlineFlag) !== 0;
      if (isEmbedded && type.sort === "struct") {
        for (const inner of type.members) {
          members.push({ ...inner, index: offset + inner.index, embedded: [String(name), ...inner.embedded] });
        }
      } else {
        members.push({
          name: String(name),
          type,
          index: offset,
          omitEmpty: (Number(flags) & omitEmptyFlag) !== 0,
          omitZero: (Number(flags) & omitZeroFlag) !== 0,
          embedded: [],
          patchStrategy: String(patchStrategy),
          patchMergeKey: String(patchMergeKey),
        });
      }
      if (number !== 0) wire.push({ number: Number(number), type, isEmbedded, offset });
    }
    wire.sort((a, b) => a.number - b.number);
    return {
      members,
      wire,
      byName: new Map(members.map((member) => [member.name, member])),
      byNumber: new Map(wire.map((field) => [field.number, field])),
    };
  }
}

type Layout = Omit<StructType, "sort" | "name">;

class Container implements ContainerType {
  readonly sort: ContainerType["sort"];
  readonly name: string;
  readonly #element: () => GoType;

  constructor(sort: ContainerType["sort"], name: string, element: () => GoType) {
    this.sort = sort;
    this.name = name;
    this.#element = once(element);
  }

  get element(): GoType {
    return this.#element();
  }
}

class Struct implements StructType {
  readonly sort = "struct";
  readonly name: string;
  readonly #layout: () => Layout;

  constructor(name: string, layout: () => Layout) {
    this.name = name;
    this.#layout = once(layout);
  }

  get members(): readonly Member[] {
    return this.#layout().members;
  }

  get byName(): ReadonlyMap<string, Member> {
    return this.#layout().byName;
  }

  get wire(): readonly WireField[] {
    return this.#layout().wire;
  }

  get byNumber(): ReadonlyMap<number, WireField> {
    return this.#layout().byNumber;
  }
}

function readData(data: unknown): { rows: readonly unknown[]; kinds: [string, string, number][] } {
  const versions: JsonRecord = isRecord(data) && isRecord(data["kinds"]) ? data["kinds"] : {};
  const rows = isRecord(data) ? ownValue(data, "types") : undefined;
  if (!isList(rows)) throw invalidTable("no types");
  const kinds = Object.entries(versions).flatMap(([apiVersion, named]) =>
    isRecord(named)
      ? Object.entries(named).map(([kind, at]): [string, string, number] => [apiVersion, kind, Number(at)])
      : [],
  );
  return { rows, kinds };
}

function invalidTable(what: string): Error {
  return new Error(`the generated type table is invalid: ${what}. Run tools/apiserver-data/protobuf again.`);
}
