import { hostname } from "node:os";
import type { Client } from "@homeostat/client";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { clientEventSink, EventRecorder, silentLogger } from "@homeostat/runtime";
import type { ControlLoop } from "../controllers/common/parts.ts";
import { sharedSignals } from "../controllers/common/shared-signal.ts";
import { controllerLoop } from "../controllers/common/controller-loop.ts";
import type { WorkloadControllerParts } from "../controllers/workloads.ts";
import { followAssigned, type PodBinding, schedulerController, schedulerName } from "./controller.ts";
import { AssignedPods } from "./node-usage.ts";

/**
 * Builds the scheduler as a loop of the control plane: it binds pods to nodes until its signal aborts.
 *
 * @example
 * await scheduler({ client, cache, clock, random }).run(signal);
 */
export function scheduler({ log = silentLogger, ...given }: WorkloadControllerParts): ControlLoop {
  const { client, clock, random } = given;
  const events = new EventRecorder({
    sink: clientEventSink(client),
    clock,
    random,
    reportingController: schedulerName,
    reportingInstance: `${schedulerName}-${hostname()}`.slice(0, 100),
  });
  const assigned = new AssignedPods();
  const bind = (binding: PodBinding, signal: AbortSignal): Promise<void> => bindPod(client, binding, signal);
  const controller = schedulerController({ ...given, assigned, bind });
  const loop = controllerLoop(controller, { ...given, log, events });
  return {
    ...loop,
    async run(stop) {
      const signal = sharedSignals()(stop);
      using pods = given.cache.informer(Pod);
      // Subscribed before the controller, so that each change is counted when the controller handles it.
      using following = followAssigned(pods, assigned);
      const schedule = async (): Promise<void> => {
        await pods.ready(signal);
        await following.replayed;
        await loop.run(signal);
      };
      await Promise.all([events.run(signal), schedule()]);
    },
  };
}

async function bindPod(client: Client, { namespace, name, uid, node }: PodBinding, signal: AbortSignal): Promise<void> {
  const answer = await client.raw({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/pods/${name}/binding?fieldManager=kube-scheduler`,
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid },
      target: { apiVersion: "v1", kind: "Node", name: node },
    }),
    about: { verb: "create", resource: "pods/binding", key: `${namespace}/${name}` },
    signal,
  });
  // The connection can be reused only after the body is read to its end.
  for await (const _ of answer.body);
}
