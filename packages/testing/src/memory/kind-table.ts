import { formatApiVersion, parseApiVersion, type KubeObject, type ResourceType } from "@homeostat/core";
import type { ResourceVersion } from "@homeostat/schema";

/** A kind with its schema, as `defineResource` returns it. */
export type CheckedType = Pick<ResourceVersion, "default" | "check" | "hasStatus">;

/** Finds kinds by the names in paths and in objects. */
export class KindTable {
  readonly #types: readonly ResourceType[];

  constructor(types: Iterable<ResourceType>) {
    this.#types = [...types];
  }

  /** Returns the kind of an object; undefined if the table does not have it. */
  ofObject({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): ResourceType | undefined {
    return this.#types.find((type) => type.kind === kind && formatApiVersion(type) === apiVersion);
  }

  /** Returns the plural of an object's kind. For a kind that the table does not have, it is formed as Kubernetes forms it. */
  pluralOf(object: Pick<KubeObject, "apiVersion" | "kind">): string {
    return this.ofObject(object)?.plural ?? guessPlural(object.kind);
  }

  /** Returns the collection of an object: `deployments.apps`, whatever its version. */
  collectionOf(object: Pick<KubeObject, "apiVersion" | "kind">): string {
    return collectionName(parseApiVersion(object.apiVersion).group, this.pluralOf(object));
  }
}

/** Returns the name of a collection: `deployments.apps`. */
export function collectionName(group: string, plural: string): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** Returns the schema functions of a kind; undefined for a kind without a schema, such as a built-in one. */
export function checkedTypeOf(type: ResourceType | undefined): CheckedType | undefined {
  return type !== undefined && isChecked(type) ? type : undefined;
}

function isChecked(type: ResourceType): type is ResourceType & CheckedType {
  return "check" in type && typeof type.check === "function" && "default" in type && typeof type.default === "function";
}

/** Returns the plural of a kind by the rules of `UnsafeGuessKindToResource` in apimachinery. */
function guessPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith("endpoints")) return singular;
  if (singular.endsWith("s")) return `${singular}es`;
  return singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
