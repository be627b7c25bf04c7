import type { CustomSchema } from "../discovery/custom-document.ts";
import { groupsOf, type ServedGroup } from "../discovery/served.ts";
import { resourceRows } from "../resources/generated/resources.ts";
import type { ServedKind } from "../resources/served-kind.ts";

/** A custom resource in one version, with its schema for the OpenAPI documents. */
export interface CustomKind {
  readonly kind: ServedKind;
  readonly schema: CustomSchema;
}

/**
 * The kinds that the server serves now, by group, version and plural.
 *
 * Custom resources are added and removed at run time. Callers that cache anything derived from this table must subscribe.
 */
export class Kinds {
  readonly #builtIn: (group: string, version: string, plural: string) => ServedKind | undefined;
  readonly #custom = new Map<string, CustomKind>();
  readonly #listeners = new Set<() => void>();
  #groups: readonly ServedGroup[] | undefined;
  #all: readonly ServedKind[] | undefined;

  /** `builtIn` returns a built-in kind, which it builds on first use; undefined for other resources. */
  constructor(builtIn: (group: string, version: string, plural: string) => ServedKind | undefined) {
    this.#builtIn = builtIn;
  }

  /** Returns the kind served at a path, or undefined. */
  find(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#builtIn(group, version, plural) ?? this.#custom.get(`${group}/${version}/${plural}`)?.kind;
  }

  /** Returns the kind for the `apiVersion` and `kind` of an object, or undefined. */
  findKind(group: string, version: string, kind: string): ServedKind | undefined {
    const row = this.groups
      .find(({ name }) => name === group)
      ?.versions.find((each) => each.version === version)
      ?.resources.find((each) => each.kind === kind);
    return row === undefined ? undefined : this.find(group, version, row.plural);
  }

  /** Returns a resource in the most preferred version of its group that has it, or undefined. */
  preferred(group: string, plural: string): ServedKind | undefined {
    const versions = this.groups.find(({ name }) => name === group)?.versions ?? [];
    for (const { version } of versions) {
      const found = this.find(group, version, plural);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** All groups with their versions and resources, in the order of discovery. */
  get groups(): readonly ServedGroup[] {
    return (this.#groups ??= groupsOf(
      resourceRows,
      [...this.#custom.values()].map(({ kind }) => kind.resource),
    ));
  }

  /** Returns every kind in every version. Webhooks need the list for each request, so it is kept until a kind changes. */
  all(): readonly ServedKind[] {
    return (this.#all ??= this.groups
      .flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
      .flatMap(({ group, version, plural }) => this.find(group, version, plural) ?? []));
  }

  /** Schemas of the custom resources, for the OpenAPI documents. */
  get schemas(): CustomSchema[] {
    return [...this.#custom.values()].map(({ schema }) => schema);
  }

  /** Serves these custom resources from now on; replaces those with the same group, version and plural. */
  put(...kinds: readonly CustomKind[]): void {
    for (const each of kinds) this.#custom.set(keyOf(each.kind), each);
    this.#changed();
  }

  /** Stops serving a resource in all its versions. */
  remove(group: string, plural: string): void {
    this.replace(group, plural, []);
  }

  /** Serves a resource in exactly these versions, after its CustomResourceDefinition changed. */
  replace(group: string, plural: string, kinds: readonly CustomKind[]): void {
    for (const [key, { kind }] of this.#custom) {
      if (kind.resource.group === group && kind.resource.plural === plural) this.#custom.delete(key);
    }
    this.put(...kinds);
  }

  /** Calls a listener after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #changed(): void {
    this.#groups = undefined;
    this.#all = undefined;
    for (const listener of this.#listeners) listener();
  }
}

function keyOf({ resource }: ServedKind): string {
  return `${resource.group}/${resource.version}/${resource.plural}`;
}
