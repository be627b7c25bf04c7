// Implements the ports of a CertificateKeeper with plain requests to a real API server.

import { apiErrorFrom, isRecord, type JsonRecord } from "@homeostat/core";
import type { ApiRequest, RealCluster } from "@homeostat/kube";
import { type CaBundleTarget, caBundleTarget, type SecretStore } from "@homeostat/webhook";

/** Sends a request and returns the object in the response; undefined for 404. Rejects with an `ApiError` otherwise. */
export async function send(cluster: RealCluster, request: ApiRequest): Promise<JsonRecord | undefined> {
  const { status, body, text } = await cluster.request(request);
  if (status === 404 && (request.method ?? "GET") === "GET") return undefined;
  if (status >= 300 || !isRecord(body)) throw apiErrorFrom({ status, body: text });
  return body;
}

/** Returns a store for one Secret in the namespace `default`. */
export function secretStore(cluster: RealCluster, name: string): SecretStore {
  const path = "/api/v1/namespaces/default/secrets";
  const decode = (data: object): Record<string, string> =>
    Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), "base64").toString()]),
    );
  return {
    async get() {
      const secret = await send(cluster, { path: `${path}/${name}` });
      if (secret === undefined) return undefined;
      const { data = {}, metadata } = secret as { data?: object; metadata: { resourceVersion: string } };
      return { data: decode(data), resourceVersion: metadata.resourceVersion };
    },
    async create(stringData) {
      await send(cluster, { method: "POST", path, body: { metadata: { name }, stringData } });
    },
    async update(stringData, resourceVersion) {
      await send(cluster, {
        method: "PUT",
        path: `${path}/${name}`,
        body: { metadata: { name, resourceVersion }, stringData },
      });
    },
  };
}

/** Returns the CA bundle of a webhook configuration or CRD at a path. */
export function bundleAt(cluster: RealCluster, path: string): CaBundleTarget {
  return caBundleTarget({
    name: path,
    read: () => send(cluster, { path }),
    replace: (body) => send(cluster, { method: "PUT", path, body }),
  });
}
