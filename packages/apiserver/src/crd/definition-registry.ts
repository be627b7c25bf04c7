import type { JsonRecord } from "@homeostat/core";
import type { Call } from "../registry/call.ts";
import { keyPrefix } from "../resources/keys.ts";
import type { Kinds } from "../registry/kinds.ts";
import type { Registry } from "../registry/registry.ts";
import type { ServedKind } from "../resources/served-kind.ts";
import { putSource } from "../registry/update-sources.ts";
import { decodeListOptions } from "../request/list-options.ts";
import { parseQuery } from "../request/query.ts";
import { systemCall, systemChoice } from "../registry/system-call.ts";
import { StatusError } from "../status/status.ts";
import { recordOf, textOf } from "../values/properties.ts";

const group = "apiextensions.k8s.io";
const plural = "customresourcedefinitions";

/** Key prefix of definitions. */
export const definitionPrefix: string = keyPrefix(group, plural);

/** A stored definition and its revision. */
export interface StoredDefinition {
  readonly object: JsonRecord;
  readonly revision: number;
}

/** Reads and writes definitions, and deletes objects of custom resources, on behalf of the server. */
export class DefinitionRegistry {
  readonly #registry: Registry;
  readonly #kinds: Kinds;

  constructor(registry: Registry, kinds: Kinds) {
    this.#registry = registry;
    this.#kinds = kinds;
  }

  /** Returns a definition by name, or undefined. */
  get(name: string): StoredDefinition | undefined {
    const { store } = this.#registry.context;
    const entry = store.get(definitionPrefix + name);
    return entry === undefined ? undefined : { object: store.read(entry), revision: entry.revision };
  }

  /** Returns all definitions. */
  list(): readonly JsonRecord[] {
    return this.#registry.list({ group, resource: plural, namespace: "" });
  }

  /** Writes the status of a definition; returns false if it was changed or deleted meanwhile. */
  async writeStatus(object: JsonRecord): Promise<boolean> {
    const kind = this.#kinds.find(group, "v1", plural);
    if (kind === undefined) return false;
    const call = systemCall(kind, { name: textOf(recordOf(object, "metadata"), "name"), subresource: "status" });
    try {
      await this.#registry.update(call, putSource(call, object, ""), systemChoice());
      return true;
    } catch (error) {
      if (error instanceof StatusError && (error.status.code === 404 || error.status.code === 409)) return false;
      throw error;
    }
  }

  /** Returns the number of stored objects of a resource. */
  count(prefix: string): number {
    return this.#registry.context.store.view().count({ prefix });
  }

  /** Returns the lowest revision among the stored objects of a resource; undefined if there are none. */
  oldest(prefix: string): number | undefined {
    let oldest: number | undefined;
    this.#registry.context.store.view().scan({ prefix }, ({ revision }) => {
      oldest = oldest === undefined ? revision : Math.min(oldest, revision);
      return true;
    });
    return oldest;
  }

  /** Deletes all objects of a kind. Objects with finalizers remain until these are removed. */
  async deleteObjects(kind: ServedKind): Promise<void> {
    const call: Call = systemCall(kind, { name: "" });
    const options = decodeListOptions(parseQuery(""));
    const choice = { isDryRun: false, options: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" } };
    await this.#registry.deleteMany(call, { options, deletion: {}, writeOptions: choice });
  }
}
