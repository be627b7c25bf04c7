import { deepClone, isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import type { CaBundleTarget } from "../certificates/ports.ts";

/**
 * The PEM texts in a webhook configuration or in the conversion of a CRD.
 *
 * When its webhooks have different ones, all of them: such a text is never equal to what it should be.
 */
export function readCaBundle(object: unknown): string {
  const bundles = clientsOf(object).map((client) => {
    const value = ownValue(client, "caBundle");
    return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
  });
  return [...new Set(bundles)].join("\n");
}

/** A copy of a webhook configuration or CRD in which every webhook is trusted by these PEM texts. */
export function withCaBundle(object: JsonRecord, bundle: string): JsonRecord {
  const copy = deepClone(object);
  for (const client of clientsOf(copy)) safeSet(client, "caBundle", Buffer.from(bundle).toString("base64"));
  return copy;
}

/** How an object is read and written, whole. `replace` has to send its `metadata.resourceVersion` along. */
export interface CaBundleAccess {
  readonly name: string;
  read(): Promise<JsonRecord | undefined>;
  replace(object: JsonRecord): Promise<unknown>;
}

/** A target for a `CertificateKeeper` from two calls of a client. */
export function caBundleTarget(access: CaBundleAccess): CaBundleTarget {
  const last = new Map<string, JsonRecord>();
  return {
    name: access.name,
    async read() {
      const object = await access.read();
      if (object === undefined || clientsOf(object).length === 0) return undefined;
      const metadata = ownValue(object, "metadata");
      const resourceVersion = String(isRecord(metadata) ? ownValue(metadata, "resourceVersion") : "");
      last.clear();
      last.set(resourceVersion, object);
      return { bundle: readCaBundle(object), resourceVersion };
    },
    async write(bundle, resourceVersion) {
      const object = last.get(resourceVersion);
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
