// Objects of a session that lead to this machine. Without the program on it, the API server would refuse every object that they are for.

import type { Client } from "@homeostat/client";
import { ConflictError, type KubeObject, type ResourceType } from "@homeostat/core";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@homeostat/kubernetes/admissionregistration/v1";
import { hasConversion } from "./installed-objects.ts";

const types: readonly ResourceType[] = [ValidatingWebhookConfiguration, MutatingWebhookConfiguration];

/** Notes which webhook configurations a session has created, and deletes them at its end. */
export class WebhookCleanup {
  readonly #client: Client;
  /** UIDs of configurations that existed before, by kind and name. */
  readonly #former = new Map<string, string>();
  /** CRDs whose versions are converted on this machine. */
  readonly #converted = new Set<string>();
  /** Configurations that are there now. */
  readonly #applied = new Map<string, { readonly type: ResourceType; readonly name: string; readonly uid: string }>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Notes which of the objects exist. Call it before they are applied. */
  async before(objects: readonly KubeObject[], signal: AbortSignal): Promise<void> {
    for (const { kind, metadata } of objects) {
      const type = types.find((one) => one.kind === kind);
      const { name = "" } = metadata;
      const key = `${kind} ${name}`;
      if (type === undefined || this.#applied.has(key)) continue;
      const found = await this.#client.get(type, { name }, { signal });
      if (found !== undefined) this.#former.set(key, found.metadata.uid ?? "");
    }
  }

  /** Notes the objects as the API server has stored them. */
  after(stored: readonly KubeObject[]): void {
    for (const object of stored) {
      const { kind, metadata } = object;
      if (hasConversion(object)) this.#converted.add(`${kind} ${metadata.name ?? ""}`);
      const type = types.find((one) => one.kind === kind);
      const { name = "", uid = "" } = metadata;
      if (type !== undefined) this.#applied.set(`${kind} ${name}`, { type, name, uid });
    }
  }

  /** Deletes the configurations that the session has created. Returns the objects that still lead to this machine, as `KIND NAME`. */
  async run(): Promise<string[]> {
    const left = [...this.#converted];
    for (const [key, { type, name, uid }] of this.#applied) {
      if (this.#former.get(key) === uid) left.push(key);
      else
        try {
          await this.#client.delete(type, { name }, { preconditions: { uid } });
        } catch (error) {
          // Another client has replaced it.
          if (!(error instanceof ConflictError)) throw error;
        }
    }
    return left;
  }
}
