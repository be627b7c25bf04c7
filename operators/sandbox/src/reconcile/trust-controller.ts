// Publishes the CA of the route server to proxies: a ConfigMap in each namespace that sandboxes may use or that has route tables, like
// kube-root-ca.crt for the API server. It is created early, so a sidecar that starts before the first table of its namespace finds the CA in its
// volume; the kubelet would otherwise add it up to two minutes later.

import { type Controller, defineController, type ReconcileContext, source, watched, when } from "homeostat";
import type { DeepReadonly, KubeObject } from "@homeostat/core";
import { ConfigMap, Namespace } from "@homeostat/kubernetes/core/v1";
import type { ControllerSource, OwnedKinds } from "@homeostat/runtime";
import { fieldManager, labels, routeServerCaConfigMap } from "../api/identity.ts";
import { RouteTable } from "../api/route-table.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import type { TrustBundle } from "../observe/trust-bundle.ts";

export interface TrustControllerOptions {
  readonly trust: () => TrustBundle;
}

const namespaceOf = ({ metadata: { namespace = "" } }: DeepReadonly<KubeObject>): readonly string[] => [namespace];

const watches = {
  copies: watched(ConfigMap, { fields: `metadata.name=${routeServerCaConfigMap}`, map: namespaceOf }),
  tables: watched(RouteTable, { map: namespaceOf, when: when.changed(({ metadata: { uid } }) => uid) }),
  policies: watched(SandboxPolicy, { map: namespaceOf, when: when.changed(({ metadata: { uid } }) => uid) }),
};

type TrustContext = ReconcileContext<Namespace, OwnedKinds, typeof watches, never>;

/**
 * Defines the controller that copies the CA. A copy is not removed when its namespace no longer needs it: the proxies of the namespace live
 * a little longer, and a CA is no secret. The ConfigMap of the operator's own namespace is written by the service that issues the certificate.
 */
export function trustController({ trust }: TrustControllerOptions): Controller {
  return defineController({
    name: "route-server-ca",
    for: Namespace,
    watches,
    sources: [changedBundle(trust)],
    fieldManager,
    writesStatus: false,
    when: when.changed(({ metadata: { uid, labels: own, deletionTimestamp } }) => [uid, own, deletionTimestamp]),
    // For server-side apply, RBAC checks the create permission with the object's name, so no other ConfigMap can be created.
    access: [{ type: ConfigMap, verbs: ["create", "patch"], names: [routeServerCaConfigMap] }],
    async reconcile(context) {
      const {
        name: namespace,
        watched: { copies },
        client,
        log,
      } = context;
      const { bundle, namespace: home } = trust().current();
      if (bundle === undefined || namespace === home || !mayHaveProxies(context)) return;
      const key = { namespace, name: routeServerCaConfigMap };
      if (copies.get(key)?.data?.["ca.crt"] === bundle) return;
      await client.apply(
        ConfigMap,
        { metadata: { ...key, labels: { [labels.managedBy]: fieldManager } }, data: { "ca.crt": bundle } },
        { fieldManager, force: true },
      );
      log.info("Published the CA of the route server", { configMap: `${namespace}/${routeServerCaConfigMap}` });
    },
  });
}

/** Reports whether sandboxes may use a namespace, or its Services have routes. */
function mayHaveProxies({ object, name: namespace, watched: { tables, policies } }: TrustContext): boolean {
  const { deletionTimestamp, labels: own } = object.metadata;
  if (deletionTimestamp !== undefined) return false;
  return own?.[labels.enabled] === "true" || [tables, policies].some((each) => each.list({ namespace }).length > 0);
}

/** Returns a source that reconciles all namespaces when the CA has changed. */
function changedBundle(trust: () => TrustBundle): ControllerSource {
  return source<"changed">({
    name: "CA of the route server",
    open: (signal) => trust().changes(signal),
    map: (_event, cache) => cache.list(Namespace).map(({ metadata }) => metadata.name),
  });
}
