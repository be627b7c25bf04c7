import type { JsonRecord } from "@homeostat/core";
import type { Call } from "../registry/call.ts";
import { keyPrefix } from "../registry/keys.ts";
import type { Kinds } from "../registry/kinds.ts";
import type { Registry } from "../registry/registry.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { putSource } from "../registry/update-sources.ts";
import { decodeListOptions } from "../request/list-options.ts";
import { parseQuery } from "../request/query.ts";
import { systemCall, systemChoice } from "../server/system-call.ts";
import { StatusError } from "../status/status.ts";
import { recordOf, textOf } from "./read.ts";

const group = "apiextensions.k8s.io";
const plural = "customresourcedefinitions";

/** What the keys of definitions begin with. */
export const definitionPrefix: string = keyPrefix(group, plural);

/** A definition as it is stored, with the revision that made it. */
export interface StoredDefinition {
  readonly object: JsonRecord;
  readonly revision: number;
}

/** Reads and writes definitions and the objects of custom resources, as the server itself does it. */
export class DefinitionRegistry {
  readonly #registry: Registry;
  readonly #kinds: Kinds;

  constructor(registry: Registry, kinds: Kinds) {
    this.#registry = registry;
    this.#kinds = kinds;
  }

  /** A definition by its name, or undefined. */
  get(name: string): StoredDefinition | undefined {
    const { store } = this.#registry.home;
    const entry = store.get(definitionPrefix + name);
    return entry === undefined ? undefined : { object: store.read(entry), revision: entry.revision };
  }

  /** All definitions. */
  list(): readonly JsonRecord[] {
    return this.#registry.list({ group, resource: plural, namespace: "" });
  }

  /** Writes the status of a definition; false when it changed or went meanwhile. */
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

  /** How many objects of a resource are stored. */
  count(prefix: string): number {
    return this.#registry.home.store.view().count({ prefix });
  }

  /** The revision of the stored object of a resource that was written longest ago; undefined when there is none. */
  oldest(prefix: string): number | undefined {
    let oldest: number | undefined;
    this.#registry.home.store.view().scan({ prefix }, ({ revision }) => {
      oldest = oldest === undefined ? revision : Math.min(oldest, revision);
      return true;
    });
    return oldest;
  }

  /** Deletes all objects of a kind, or begins to: those with finalizers stay until they are let go. */
  async deleteObjects(kind: ServedKind): Promise<void> {
    const call: Call = systemCall(kind, { name: "" });
    const options = decodeListOptions(parseQuery(""));
    const choice = { isDryRun: false, options: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" } };
    await this.#registry.deleteMany(call, { options, deletion: {}, writeOptions: choice });
  }
}
