// The ports of a CertificateKeeper, over a client.

import type { Client, UntypedObject } from "@homeostat/client";
import type { KubeObject, ObjectKey, ObjectMeta, ResourceType } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import { type CaBundleTarget, caBundleTarget, type SecretStore } from "@homeostat/webhook";

/** The calls that these ports make. A `Client` has them. */
export type PortClient = Pick<Client, "get" | "create" | "update">;

/** Keeps certificates in a Secret at an API server: `get` and `update` of that one, and `create`. */
export function clientSecretStore(
  client: PortClient,
  { name, namespace, labels }: Required<ObjectKey> & { readonly labels?: Readonly<Record<string, string>> },
): SecretStore {
  const key = { name, namespace };
  let last: ObjectMeta = { ...key, ...(labels === undefined ? {} : { labels: { ...labels } }) };
  const secret = (data: Readonly<Record<string, string>>, metadata: ObjectMeta): Secret => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata,
    stringData: { ...data },
  });
  return {
    async get() {
      const found = await client.get(Secret, key);
      if (found === undefined) return undefined;
      const { labels: kept = {}, annotations = {}, resourceVersion = "" } = found.metadata;
      // Others may have marked it; a replacement that left that out would take it away.
      last = { ...key, labels: kept, annotations };
      const texts = Object.entries(found.data ?? {}).map(([field, value]) => [
        field,
        Buffer.from(value, "base64").toString("utf8"),
      ]);
      return { data: Object.fromEntries(texts), resourceVersion };
    },
    async create(data) {
      await client.create(Secret, secret(data, last));
    },
    async update(data, resourceVersion) {
      await client.update(Secret, secret(data, { ...last, resourceVersion }));
    },
  };
}

/** A webhook configuration or CRD whose `caBundle` is kept right: `get` and `update` of that one. */
export function clientBundleTarget(client: PortClient, type: ResourceType, name: string): CaBundleTarget {
  const kind: ResourceType<UntypedObject> = {
    group: type.group,
    version: type.version,
    kind: type.kind,
    plural: type.plural,
    scope: type.scope,
  };
  return caBundleTarget({
    name: `${type.kind} ${name}`,
    read: () => client.get(kind, { name }),
    replace: (object) => client.update(kind, { ...object, metadata: metadataOf(object), ...typeOf(type) }),
  });
}

function typeOf({ group, version, kind }: ResourceType): Pick<KubeObject, "apiVersion" | "kind"> {
  return { apiVersion: `${group}/${version}`, kind };
}

/** What was read a moment ago has the metadata of an object; without a name the client refuses to send it. */
function metadataOf({ metadata }: Readonly<Record<string, unknown>>): ObjectMeta {
  return typeof metadata === "object" && metadata !== null ? metadata : {};
}
