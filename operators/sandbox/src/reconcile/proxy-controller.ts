// Removes the proxy of a namespace in which no Service has been taken over for a while.

import {
  type Controller,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
  watched,
  when,
} from "homeostat";
import { formatTime, tryParseTime } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import type { OwnedKinds } from "@homeostat/runtime";
import { annotations, takeoverFieldManager } from "../api/identity.ts";
import { proxyName } from "../api/names.ts";
import { RouteTable } from "../api/route-table.ts";
import { proxyDeployments, tablesUsingProxy } from "../observe/takeover-kinds.ts";

/** Time after the last takeover of a namespace after which its proxy is removed. */
const unusedMs = 600_000;

const watches = {
  tables: watched(RouteTable, {
    map: ({ metadata: { namespace = "" } }) => [`${namespace}/${proxyName}`],
    when: when.changed(({ metadata: { uid, finalizers } }) => [uid, finalizers]),
  }),
};

type ProxyContext = ReconcileContext<Deployment, OwnedKinds, typeof watches, never>;

/** Defines the controller. The controller of takeovers creates the Deployment; this one deletes it. */
export function proxyController(): Controller {
  return defineController({
    name: "sandbox-proxy",
    for: Deployment,
    select: proxyDeployments,
    watches,
    fieldManager: takeoverFieldManager,
    writesStatus: false,
    access: [{ type: Deployment, verbs: ["patch", "delete"] }],
    when: when.annotationsChanged(),
    async reconcile(context) {
      return reconcile(context);
    },
  });
}

/** Marks an unused Deployment with the time, and deletes it later. The mark survives a restart of the operator. */
async function reconcile(context: ProxyContext): Promise<ReconcileResult> {
  const { object, namespace, name, cache, client, signal, serverClock } = context;
  if (object.metadata.deletionTimestamp !== undefined) return {};
  const mark = object.metadata.annotations?.[annotations.unusedSince];
  const since = mark === undefined ? undefined : tryParseTime(mark);
  const isUsed = tablesUsingProxy(namespace, cache).length > 0;
  const now = serverClock.now();
  const note = async (value: string | null): Promise<void> => {
    const { resourceVersion } = object.metadata;
    const merge = { metadata: { resourceVersion, annotations: { [annotations.unusedSince]: value } } };
    await client.patch(Deployment, { namespace, name }, { merge }, { fieldManager: takeoverFieldManager, signal });
  };
  if (isUsed) {
    if (mark !== undefined) await note(null);
    return {};
  }
  if (since === undefined) {
    await note(formatTime(now));
    return { requeueAfterMs: unusedMs };
  }
  if (now < since + unusedMs) return { requeueAfterMs: since + unusedMs - now };
  const { uid, resourceVersion } = object.metadata;
  await client.delete(Deployment, { namespace, name }, { preconditions: { uid, resourceVersion }, signal });
  context.log.info("Removed unused proxy", { deployment: `${namespace}/${name}` });
  return {};
}
