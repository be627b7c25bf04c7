// Stores the keys of preview tokens: private keys in a Secret of the operator, public keys in a ConfigMap that the route server watches.

import type { OwnAccess } from "@homeostat/operator";
import { AlreadyExistsError, ConflictError } from "@homeostat/core";
import { ConfigMap, Secret } from "@homeostat/kubernetes/core/v1";
import type { Service, ServiceTools } from "@homeostat/runtime";
import { previewKeysKey, previewKeysName } from "../api/identity.ts";
import { planKeys } from "../decide/preview-keys.ts";
import {
  formatKeys,
  formatPublicKeys,
  generatePreviewKey,
  parseKeys,
  type PreviewKeyring,
  type StoredKeyPair,
} from "../observe/preview-keyring.ts";

export interface PreviewKeysOptions {
  readonly ring: PreviewKeyring;
  readonly namespace: string;
  /** Reports whether there are preview addresses. Without them, no key is created. */
  readonly isEnabled: () => boolean;
}

const pollMs = 60_000;
/** Retry interval until the first keys exist, which tokens wait for. */
const firstMs = 2_000;

/** Permissions of {@link previewKeys} in the namespace of the operator. */
export const previewKeysAccess: readonly OwnAccess[] = [
  // RBAC cannot restrict create by resourceNames: the name is not known when the request is authorized.
  { type: Secret, verbs: ["create"] },
  { type: Secret, verbs: ["get", "update"], names: [previewKeysName] },
  { type: ConfigMap, verbs: ["create"] },
  { type: ConfigMap, verbs: ["get", "update"], names: [previewKeysName] },
];

type Tools = Pick<ServiceTools, "unfencedClient" | "serverClock" | "log" | "reportMissingNamespace">;

/** Returns the service that creates and rotates the keys. Every replica runs it: each write has a resourceVersion. */
export function previewKeys({ ring, namespace, isEnabled }: PreviewKeysOptions): (tools: Tools) => Service {
  return (tools) => {
    const { serverClock, log, reportMissingNamespace } = tools;
    return {
      name: "preview-keys",
      when: "always",
      async run(signal) {
        let isKnown = false;
        while (!signal.aborted) {
          try {
            if (isEnabled()) {
              ring.set(await syncKeys(tools, namespace));
              isKnown = true;
            }
          } catch (error) {
            if (signal.aborted) return;
            // Another replica wrote first; the next round reads its keys.
            const isRace = error instanceof ConflictError || error instanceof AlreadyExistsError;
            if (!isRace && !reportMissingNamespace(error, `Secret ${previewKeysName}`))
              log.warn("Failed to reconcile the keys of preview tokens", { error });
          }
          await serverClock.sleep(isKnown ? pollMs : firstMs, signal).catch(() => undefined);
        }
      },
    };
  };
}

/** Creates, rotates and publishes keys. Returns those that are stored. */
async function syncKeys(
  { unfencedClient: client, serverClock, log }: Pick<Tools, "unfencedClient" | "serverClock" | "log">,
  namespace: string,
): Promise<readonly StoredKeyPair[]> {
  const place = { namespace, name: previewKeysName };
  const secret = await client.get(Secret, place);
  const text = secret?.data?.[previewKeysKey];
  const stored = text === undefined ? [] : parseKeys(Buffer.from(text, "base64").toString("utf8"));
  const now = serverClock.now();
  const { kept, isDue } = planKeys(stored, now);
  const keys = isDue ? [generatePreviewKey(now), ...kept] : kept;
  if (isDue) {
    const data = { [previewKeysKey]: Buffer.from(formatKeys(keys)).toString("base64") };
    if (secret === undefined)
      await client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: place, type: "Opaque", data });
    else await client.update(Secret, { ...secret, data });
    log.info("Created signing key of preview tokens", { secret: `${namespace}/${previewKeysName}` });
  }
  const published = await client.get(ConfigMap, place);
  const data = { [previewKeysKey]: formatPublicKeys(keys) };
  if (published === undefined)
    await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: place, data });
  else if (published.data?.[previewKeysKey] !== data[previewKeysKey])
    await client.update(ConfigMap, { ...published, data });
  return keys;
}
