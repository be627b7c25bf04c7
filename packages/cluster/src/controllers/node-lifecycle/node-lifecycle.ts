import { Lease } from "@homeostat/kubernetes/coordination/v1";
import { Node } from "@homeostat/kubernetes/core/v1";
import { type Controller, defineController, watched } from "@homeostat/runtime";
import { componentLoop } from "../common/controller-loop.ts";
import { type ControlLoop, type ControlParts, fieldManager } from "../common/parts.ts";
import { graceMs, heartbeatAgeMs, unknownConditions } from "./heartbeat-age.ts";
import { desiredTaints } from "./taints.ts";

const leaseNamespace = "kube-node-lease";

/**
 * Builds the node lifecycle controller. It sets the conditions of nodes without a heartbeat to Unknown, and adds
 * NoSchedule taints for conditions that must keep new pods away.
 */
export function nodeLifecycleController(parts: ControlParts): ControlLoop {
  return componentLoop(parts, nodeLifecycle(parts), "node-controller");
}

function nodeLifecycle({ clock }: ControlParts): Controller {
  return defineController({
    name: "node-lifecycle",
    for: Node,
    fieldManager,
    writesStatus: false,
    watches: { leases: watched(Lease, { namespace: leaseNamespace, map: () => [] }) },
    access: [
      { type: Node, verbs: ["patch"] },
      { type: Node, verbs: ["patch"], subresource: "status" },
    ],
    async reconcile({ object, name, watched: { leases }, client, signal }) {
      const { resourceVersion } = object.metadata;
      const ageMs = heartbeatAgeMs(object, leases.get({ namespace: leaseNamespace, name }), clock.now());
      if (ageMs > graceMs) {
        const conditions = unknownConditions(object, clock.now());
        if (conditions !== undefined) {
          const merge = { metadata: { resourceVersion }, status: { conditions } };
          await client.patch(Node, { name }, { merge }, { subresource: "status", fieldManager, signal });
          return {};
        }
      }
      const taints = desiredTaints(object);
      if (taints !== undefined) {
        await client.patch(
          Node,
          { name },
          { merge: { metadata: { resourceVersion }, spec: { taints } } },
          { fieldManager, signal },
        );
      }
      return { requeueAfterMs: Math.max(1_000, graceMs - ageMs + 1_000) };
    },
  });
}
