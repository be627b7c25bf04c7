import type { JsonRecord } from "@homeostat/core";
import type { StoredKind, StoredName } from "../admission/cluster-reader.ts";
import type { Call } from "../registry/call.ts";
import type { DeletionRequest } from "../registry/deletion.ts";
import { keyOf, keyPrefix } from "../resources/keys.ts";
import type { Registry } from "../registry/registry.ts";
import { encodeAtRevision } from "../registry/stored-object.ts";
import { notFoundStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { SpecialStore } from "./endpoint-store.ts";

/** Returns the store that special endpoints write to. `callOf` builds the call of a deletion, with its user. */
export function registryStore(registry: Registry, callOf: (name: StoredName) => Call): SpecialStore {
  const { store } = registry.context;
  return {
    get: (name) => registry.get(name),
    list: (kind: StoredKind) => registry.list(kind),
    replace: async ({ group, resource, namespace, name }, object: JsonRecord) => {
      const key = keyOf(keyPrefix(group, resource), namespace, name);
      const written = store.update(key, encodeAtRevision(object));
      if (written.outcome !== "written") throw new StatusError(notFoundStatus({ group, resource }, name));
      await store.persisted();
      return store.read(written.entry);
    },
    remove: async (name, deletion: DeletionRequest, { isDryRun }) => {
      const options = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", ...(isDryRun ? { dryRun: ["All"] } : {}) };
      await registry.delete(callOf(name), deletion, { isDryRun, options });
    },
  };
}
