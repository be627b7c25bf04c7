import { objectFields, type ResolveRef, type TypeSchema } from "./type-schema.ts";

/** Type of a scalar. `untyped` allows any. */
export type Scalar = "numeric" | "string" | "boolean" | "untyped";

/**
 * Merge behaviour of the values of one schema. If the schema leaves the type open, several alternatives are defined.
 */
export interface MergeType {
  readonly scalar: Scalar | undefined;
  readonly list: MergeList | undefined;
  readonly map: MergeMap | undefined;
}

/** Merge behaviour of lists. */
export interface MergeList {
  /**
   * True if items are identified by their keys, or by their values if there are no keys. False if the list is atomic.
   */
  readonly isAssociative: boolean;
  readonly keys: readonly string[];
  /** Returns the type of the items. */
  element(): MergeType;
}

/** Merge behaviour of maps and structs. */
export interface MergeMap {
  readonly isAtomic: boolean;
  /** True if the map declares no fields and allows any. */
  readonly isDeduced: boolean;
  isDeclared(name: string): boolean;
  /** Returns the type of the value under a name, or `undefined` if the name is not allowed. */
  field(name: string): MergeType | undefined;
  /** Returns the default of a declared field, or `undefined`. */
  fieldDefault(name: string): unknown;
}

/** Any value, always replaced as a whole. */
export const untypedAtomic: MergeType = {
  scalar: "untyped",
  list: { isAssociative: false, keys: [], element: () => untypedAtomic },
  map: {
    isAtomic: true,
    isDeduced: false,
    isDeclared: () => false,
    field: () => untypedAtomic,
    fieldDefault: () => undefined,
  },
};

/** The type of values without a schema: maps merge field by field, everything else is atomic. */
export const deduced: MergeType = {
  scalar: "untyped",
  list: { isAssociative: false, keys: [], element: () => untypedAtomic },
  map: {
    isAtomic: false,
    isDeduced: true,
    isDeclared: () => false,
    field: () => deduced,
    fieldDefault: () => undefined,
  },
};

/** Types whose merge behaviour the API server fixes by name, whatever their schemas say. */
const fixedTypes: ReadonlyMap<string, MergeType> = new Map([
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", { scalar: "untyped", list: undefined, map: undefined }],
  ["io.k8s.apimachinery.pkg.runtime.RawExtension", untypedAtomic],
]);

/**
 * Builds merge types from schemas. Each is built on first use and kept, because schemas may be recursive and most parts
 * of a large schema are never needed.
 */
export class MergeTypes {
  readonly #resolve: ResolveRef;
  readonly #cached = new WeakMap<TypeSchema, MergeType>();
  readonly #cachedPreserving = new WeakMap<TypeSchema, MergeType>();

  constructor(resolve: ResolveRef = () => undefined) {
    this.#resolve = resolve;
  }

  /**
   * Returns the type of whole objects of a schema: the schema with the standard `apiVersion`, `kind` and `metadata`.
   * Without a schema, the type is deduced from each object.
   */
  ofObjects(schema: TypeSchema | undefined): MergeType {
    if (schema === undefined) return deduced;
    return this.of({ ...schema, type: "object", properties: { ...schema.properties, ...objectFields } }, false);
  }

  /** Returns the type of the values of a schema. `preserves` is true if a parent keeps unknown fields. */
  of(schema: TypeSchema, preserves: boolean): MergeType {
    const cached = preserves ? this.#cachedPreserving : this.#cached;
    let type = cached.get(schema);
    if (type === undefined) {
      type = this.#make(schema, preserves);
      cached.set(schema, type);
    }
    return type;
  }

  #make(schema: TypeSchema, preserves: boolean): MergeType {
    const name = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
    if (name !== undefined) return this.#referred(schema, name);
    const preservesHere = preserves || schema["x-kubernetes-preserve-unknown-fields"] === true;
    switch (schema.type) {
      case "object":
        return { scalar: undefined, list: undefined, map: this.#map(schema, preservesHere) };
      case "array":
        return { scalar: undefined, list: this.#list(schema, preservesHere), map: undefined };
      case "integer":
      case "number":
        return { scalar: "numeric", list: undefined, map: undefined };
      case "boolean":
        return { scalar: "boolean", list: undefined, map: undefined };
      case "string":
        return { scalar: isPlain(schema.format) ? "string" : "untyped", list: undefined, map: undefined };
      default:
        return {
          scalar: "untyped",
          list: this.#list(schema, preservesHere),
          map: this.#map(schema, preservesHere),
        };
    }
  }

  /** Returns the type behind a `$ref`. The referring field may override whether a map is atomic or granular. */
  #referred(schema: TypeSchema, ref: string): MergeType {
    const name = ref.slice(ref.lastIndexOf("/") + 1);
    const target = this.#resolve(name);
    const type = fixedTypes.get(name) ?? (target === undefined ? deduced : this.of(target, false));
    const mapType = schema["x-kubernetes-map-type"];
    if (mapType === undefined || type.map === undefined) return type;
    const { map } = type;
    return {
      ...type,
      map: {
        isAtomic: mapType === "atomic",
        isDeduced: map.isDeduced,
        isDeclared: (field) => map.isDeclared(field),
        field: (field) => map.field(field),
        fieldDefault: (field) => map.fieldDefault(field),
      },
    };
  }

  #list(schema: TypeSchema, preserves: boolean): MergeList {
    const { items } = schema;
    return { ...relationOf(schema), element: () => (items === undefined ? untypedAtomic : this.of(items, preserves)) };
  }

  #map(schema: TypeSchema, preserves: boolean): MergeMap {
    const embedded = schema["x-kubernetes-embedded-resource"] === true;
    const properties = embedded ? { ...schema.properties, ...objectFields } : (schema.properties ?? {});
    const isBare = Object.keys(properties).length === 0;
    const others = otherFields(schema, preserves || isBare);
    const declared = (name: string): TypeSchema | undefined =>
      Object.hasOwn(properties, name) ? properties[name] : undefined;
    return {
      isAtomic: schema["x-kubernetes-map-type"] === "atomic",
      isDeduced: isBare && others === "any",
      isDeclared: (name) => declared(name) !== undefined,
      field: (name) => {
        const field = declared(name);
        if (field !== undefined) return this.of(field, preserves);
        if (others === undefined) return undefined;
        return others === "any" ? deduced : this.of(others, preserves);
      },
      fieldDefault: (name) => declared(name)?.default,
    };
  }
}

/** Returns the schema of undeclared fields; `any` if they are allowed without one, `undefined` if they are refused. */
function otherFields({ additionalProperties }: TypeSchema, isOpen: boolean): TypeSchema | "any" | undefined {
  if (additionalProperties === undefined) return isOpen ? "any" : undefined;
  if (typeof additionalProperties === "boolean") return additionalProperties ? "any" : undefined;
  return additionalProperties;
}

function isPlain(format: string | undefined): boolean {
  return format === undefined || format === "" || format === "byte";
}

function relationOf(schema: TypeSchema): Pick<MergeList, "isAssociative" | "keys"> {
  const listType = schema["x-kubernetes-list-type"];
  if (listType === "set") return { isAssociative: true, keys: [] };
  if (listType === "map") return { isAssociative: true, keys: schema["x-kubernetes-list-map-keys"] ?? [] };
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (listType !== undefined || (strategy !== "merge" && strategy !== "merge,retainKeys")) {
    return { isAssociative: false, keys: [] };
  }
  const key = schema["x-kubernetes-patch-merge-key"];
  return { isAssociative: true, keys: key === undefined ? [] : [key] };
}
