// The document that `dump/` writes: types and resources from the Kubernetes modules.

/** The generator's input for one Kubernetes release. */
export interface Input {
  /** `1.36.3`. */
  readonly release: string;
  readonly resources: readonly Resource[];
  /** OpenAPI definitions by full name, such as `io.k8s.api.batch.v1.Job`. */
  readonly definitions: { readonly [name: string]: Definition };
}

/** A resource of discovery. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly Subresource[];
}

/** A subresource and the kind of its body, which may be in another group: `scale` uses `autoscaling/v1`. */
export interface Subresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** A node of an OpenAPI schema; `$ref` is the full name of a definition. */
export interface Node {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  /** Set by a `+default` marker in the Go source; `{}` only means that Go embeds a struct by value. */
  readonly default?: unknown;
  readonly enum?: readonly string[];
  /** Full name of the Go enum type. */
  readonly "x-enum-type"?: string;
  readonly items?: Node;
  readonly additionalProperties?: Node;
  readonly properties?: { readonly [name: string]: Node };
  readonly required?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

/** A named type. `kind` is set if its objects have `apiVersion` and `kind`. */
export interface Definition extends Node {
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
}

/** Parses the document that `dump/` wrote. Throws if it is incomplete. */
export function parseInput(text: string): Input {
  const value: unknown = JSON.parse(text);
  if (!isInput(value)) throw new Error("the input lacks release, resources or definitions; regenerate it with dump/");
  return value;
}

function isInput(value: unknown): value is Input {
  return (
    typeof value === "object" &&
    value !== null &&
    "release" in value &&
    typeof value.release === "string" &&
    "resources" in value &&
    Array.isArray(value.resources) &&
    "definitions" in value &&
    typeof value.definitions === "object"
  );
}

/** Returns a definition by name. Throws if the input does not define it. */
export function definitionOf(input: Input, name: string): Definition {
  const found = Object.hasOwn(input.definitions, name) ? input.definitions[name] : undefined;
  if (found === undefined) throw new Error(`the input does not define ${name}`);
  return found;
}
