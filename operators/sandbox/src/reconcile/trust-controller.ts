// Gives proxies the CA of the route server: a ConfigMap in each namespace that has route tables, as kube-root-ca.crt is for the API server.

import { type Controller, defineController, source, watched, when } from "homeostat";
import { keyOf } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import type { ControllerSource } from "@homeostat/runtime";
import { fieldManager, labels, routeServerCaConfigMap } from "../api/identity.ts";
import { RouteTable } from "../api/route-table.ts";
import type { TrustBundle } from "../observe/trust-bundle.ts";

export interface TrustControllerOptions {
  readonly trust: () => TrustBundle;
}

const copies = {
  copies: watched(ConfigMap, {
    fields: `metadata.name=${routeServerCaConfigMap}`,
    // Every table of the namespace leads to the same reconcile; one is enough.
    map: ({ metadata: { namespace = "" } }, cache) =>
      cache.by(RouteTable, "namespace", namespace).slice(0, 1).map(keyOf),
  }),
};

/**
 * Defines the controller that copies the CA. A copy is not removed with the last table of its namespace: the proxy of the namespace lives
 * a little longer, and a CA is no secret. The ConfigMap of the operator's own namespace is written by the service that issues the certificate.
 */
export function trustController({ trust }: TrustControllerOptions): Controller {
  return defineController({
    name: "route-server-ca",
    for: RouteTable,
    indexes: { namespace: ({ metadata: { namespace = "" } }) => namespace },
    watches: copies,
    sources: [changedBundle(trust)],
    fieldManager,
    writesStatus: false,
    when: when.changed(({ metadata: { uid } }) => uid),
    // RBAC checks the create of an apply with the name, so that no other ConfigMap can be created.
    access: [{ type: ConfigMap, verbs: ["create", "patch"], names: [routeServerCaConfigMap] }],
    async reconcile({ namespace, watched: { copies: found }, client, log }) {
      const { bundle, namespace: home } = trust().current();
      if (bundle === undefined || namespace === home) return;
      const key = { namespace, name: routeServerCaConfigMap };
      if (found.get(key)?.data?.["ca.crt"] === bundle) return;
      await client.apply(
        ConfigMap,
        { metadata: { ...key, labels: { [labels.managedBy]: fieldManager } }, data: { "ca.crt": bundle } },
        { fieldManager, force: true },
      );
      log.info("Published the CA of the route server", { configMap: `${namespace}/${routeServerCaConfigMap}` });
    },
  });
}

/** Returns a source that reconciles one table of each namespace when the CA has changed. */
function changedBundle(trust: () => TrustBundle): ControllerSource {
  return source<"changed">({
    name: "CA of the route server",
    open: (signal) => trust().changes(signal),
    map(_event, cache) {
      const byNamespace = new Map<string, string>();
      for (const table of cache.list(RouteTable)) byNamespace.set(table.metadata.namespace ?? "", keyOf(table));
      return [...byNamespace.values()];
    },
  });
}
