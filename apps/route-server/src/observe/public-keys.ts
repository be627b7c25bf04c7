// The public keys of preview tokens, which the operator publishes in a ConfigMap.

import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { parsePreviewSettings, type PreviewKey } from "@homeostat/routing";
import type { Service, ServiceTools } from "@homeostat/runtime";
import { previewKeysKey, previewKeysName } from "@homeostat/sandbox-operator";

/** The current public keys. Gateways refuse all tokens while it is empty, that is, until the keys have been read. */
export class PublicKeys {
  #keys: readonly PreviewKey[] = [];

  get keys(): readonly PreviewKey[] {
    return this.#keys;
  }

  /** Reads the text of the ConfigMap. An invalid text does not change the keys. */
  update(text: string | undefined): void {
    let keys: unknown;
    try {
      keys = text === undefined ? [] : JSON.parse(text);
    } catch {
      return;
    }
    const { settings, problems } = parsePreviewSettings({ keys });
    if (problems.length === 0) this.#keys = settings.keys;
  }
}

/** Returns the service that keeps the keys up to date. */
export function publicKeyWatch(
  { cache }: Pick<ServiceTools, "cache">,
  { keys, namespace }: { readonly keys: PublicKeys; readonly namespace: string },
): Service {
  return {
    name: "preview-keys",
    when: "always",
    async run(signal) {
      using maps = cache.informer(ConfigMap, { namespace, fields: `metadata.name=${previewKeysName}` });
      const read = (): void => keys.update(maps.get({ namespace, name: previewKeysName })?.data?.[previewKeysKey]);
      try {
        await maps.ready(signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      read();
      for await (const _ of maps.events(signal)) read();
    },
  };
}
