// ConfigMaps and Secrets that a workload uses, read with the permissions of the user.

import type { Client } from "@homeostat/client";
import { ForbiddenError } from "@homeostat/core";
import { ConfigMap, Secret } from "@homeostat/kubernetes/core/v1";

/** The content of a ConfigMap or Secret, or why it is not available. */
export type SourceContent = ReadonlyMap<string, Buffer> | "missing" | "forbidden";

/** Reads ConfigMaps and Secrets of a namespace, each at most once. */
export class Sources {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #signal: AbortSignal;
  readonly #read = new Map<string, Promise<SourceContent>>();

  constructor(client: Client, { namespace, signal }: { readonly namespace: string; readonly signal: AbortSignal }) {
    this.#client = client;
    this.#namespace = namespace;
    this.#signal = signal;
  }

  /** Returns the keys and values of an object. */
  read(kind: "ConfigMap" | "Secret", name: string): Promise<SourceContent> {
    const key = `${kind}/${name}`;
    const reading = this.#read.get(key) ?? this.#fetch(kind, name);
    this.#read.set(key, reading);
    return reading;
  }

  async #fetch(kind: "ConfigMap" | "Secret", name: string): Promise<SourceContent> {
    const place = { namespace: this.#namespace, name };
    const options = { signal: this.#signal };
    try {
      if (kind === "Secret") {
        const secret = await this.#client.get(Secret, place, options);
        return secret === undefined ? "missing" : contents({}, secret.data ?? {});
      }
      const map = await this.#client.get(ConfigMap, place, options);
      return map === undefined ? "missing" : contents(map.data ?? {}, map.binaryData ?? {});
    } catch (error) {
      if (error instanceof ForbiddenError) return "forbidden";
      throw error;
    }
  }
}

function contents(
  texts: Readonly<Record<string, string>>,
  encoded: Readonly<Record<string, string>>,
): ReadonlyMap<string, Buffer> {
  return new Map([
    ...Object.entries(texts).map(([key, text]) => [key, Buffer.from(text)] as const),
    ...Object.entries(encoded).map(([key, text]) => [key, Buffer.from(text, "base64")] as const),
  ]);
}
