// Secrets are read by name and never listed or watched, so that the operator needs no permission to list them. Reads are shared among clusters.

import type { DeepReadonly } from "homeostat";
import type { Clock } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import { readCertificate } from "@homeostat/x509";
import type { SecretData } from "../build/secrets.ts";
import type { Context } from "./kinds.ts";
import type { ObservedCertificate } from "./observed.ts";

type Data = Readonly<Record<string, string>>;

/** Age after which a Secret is read again. Shorter than the interval of periodic reconciles, so each of them sees changes. */
const ageMaxMs = 50_000;

/** Number of Secrets that are remembered. */
const countMax = 10_000;

/** Reads Secrets, and remembers those that exist for some seconds. */
export class SecretReader {
  readonly #found = new Map<string, { readonly data: Data; readonly at: number }>();

  /** Returns the data of Secrets by name. */
  async read(
    { client, namespace, signal, clock }: Pick<Context, "client" | "namespace" | "signal"> & { readonly clock: Clock },
    secrets: readonly string[],
  ): Promise<SecretData> {
    const data = new Map<string, Data>();
    for (const name of secrets) {
      const key = `${namespace}/${name}`;
      const known = this.#found.get(key);
      const now = clock.monotonic();
      if (known !== undefined && now - known.at < ageMaxMs) {
        data.set(name, known.data);
        continue;
      }
      this.#found.delete(key);
      const secret: DeepReadonly<Secret> | undefined = await client.get(Secret, { namespace, name }, { signal });
      if (secret === undefined) continue;
      const read = secret.data ?? {};
      if (this.#found.size < countMax) this.#found.set(key, { data: read, at: now });
      data.set(name, read);
    }
    return (name) => data.get(name);
  }

  /** Forgets all Secrets, when this process stops leading. */
  clear(): void {
    this.#found.clear();
  }
}

/** Returns the text of a key of a Secret. */
export function secretText(data: Data | undefined, key: string): string | undefined {
  const encoded = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}

/** Returns the certificate of a Secret; undefined if it has none that can be read. */
export function certificateOf(secret: string, pem: string | undefined): ObservedCertificate | undefined {
  if (pem === undefined) return undefined;
  try {
    const { validFrom, validUntil } = readCertificate(pem);
    return { secret, notBefore: validFrom.getTime(), notAfter: validUntil.getTime() };
  } catch {
    return undefined;
  }
}
