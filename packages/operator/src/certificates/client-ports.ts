// The Secret and the objects with a caBundle that a CertificateKeeper maintains, accessed through a client.

import type { Client, UntypedObject } from "@homeostat/client";
import type { KubeObject, ObjectKey, ObjectMeta, ResourceType } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import { type CaBundleTarget, caBundleTarget, type SecretStore } from "@homeostat/webhook";

/** The calls of a `Client` that are used here. */
export type PortClient = Pick<Client, "get" | "create" | "update">;

/** Stores certificates in a Secret of the API server. Needs `get` and `update` on that Secret, and `create`. */
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
      // An update replaces the whole object: it must repeat the labels and annotations that others have set.
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

/** Returns access to the `caBundle` of a webhook configuration or CRD. Needs `get` and `update` on that object. */
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

/** Returns the metadata of an object that was read from the API server. Without metadata the client would refuse to send it. */
function metadataOf({ metadata }: Readonly<Record<string, unknown>>): ObjectMeta {
  return typeof metadata === "object" && metadata !== null ? metadata : {};
}
