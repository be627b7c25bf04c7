import { deepClone, isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import type { CaBundleTarget } from "../certificates/ports.ts";

/**
 * Returns the CA bundle of a webhook configuration or of the conversion of a CRD, PEM.
 *
 * If its webhooks have different bundles, returns all of them: the result differs from every expected bundle, so it is
 * replaced.
 */
export function readCaBundle(object: unknown): string {
  const bundles = clientsOf(object).map((client) => {
    const value = ownValue(client, "caBundle");
    return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
  });
  return [...new Set(bundles)].join("\n");
}

/** Returns a copy of a webhook configuration or CRD with a CA bundle in every webhook. */
export function withCaBundle(object: JsonRecord, bundle: string): JsonRecord {
  const copy = deepClone(object);
  for (const client of clientsOf(copy)) safeSet(client, "caBundle", Buffer.from(bundle).toString("base64"));
  return copy;
}

/** Access to a whole object. `replace` must send its `metadata.resourceVersion`. */
export interface CaBundleAccess {
  readonly name: string;
  read(): Promise<JsonRecord | undefined>;
  replace(object: JsonRecord): Promise<unknown>;
}

/** Returns a target for a `CertificateKeeper` from two functions of a client. */
export function caBundleTarget(access: CaBundleAccess): CaBundleTarget {
  const lastRead = new Map<string, JsonRecord>();
  return {
    name: access.name,
    async read() {
      const object = await access.read();
      if (object === undefined || clientsOf(object).length === 0) return undefined;
      const metadata = ownValue(object, "metadata");
      const resourceVersion = String(isRecord(metadata) ? ownValue(metadata, "resourceVersion") : "");
      lastRead.clear();
      lastRead.set(resourceVersion, object);
      return { bundle: readCaBundle(object), resourceVersion };
    },
    async write(bundle, resourceVersion) {
      const object = lastRead.get(resourceVersion);
      if (object !== undefined) await access.replace(withCaBundle(object, bundle));
    },
  };
}

function clientsOf(object: unknown): JsonRecord[] {
  const webhooks = field(object, "webhooks");
  const conversion = field(field(object, "spec"), "conversion");
  return [...(isList(webhooks) ? webhooks : []), field(conversion, "webhook")]
    .map((webhook) => field(webhook, "clientConfig"))
    .filter(isRecord);
}

function field(value: unknown, key: string): unknown {
  return isRecord(value) ? ownValue(value, key) : undefined;
}
