import { type DeepReadonly, formatTime, keyOf, LabelSelector, TransientError } from "@homeostat/core";
import { Node, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { type Controller, defineController, type ReconcileContext, watched, when } from "@homeostat/runtime";
import { componentLoop } from "../common/controller-loop.ts";
import { isNamespaceTerminating } from "../common/namespace-terminating.ts";
import { type ControlLoop, type ControlParts, fieldManager } from "../common/parts.ts";
import { Remembered } from "../common/remembered.ts";
import { labelValues, selectorValue } from "../common/selector-index.ts";
import { isReady } from "../pods/pod-state.ts";
import { addressTypes, desiredEndpoints, hasEndpoint } from "./endpoints.ts";
import { managedBy, managedByLabel, serviceNameLabel, sliceChanges, type SliceChanges } from "./slices.ts";
import { triggersOf, triggerTime, type Triggers } from "./trigger-times.ts";

const triggerTimeKey = "endpoints.kubernetes.io/last-change-trigger-time";

/** Builds the EndpointSlice controller, which keeps the slices of every Service that has a selector. */
export function endpointSliceController(parts: ControlParts): ControlLoop {
  return componentLoop(parts, endpointSlices(), "endpoint-slice-controller");
}

function selectorOf({ spec }: DeepReadonly<Service>): LabelSelector | undefined {
  if (spec?.selector === undefined || spec.type === "ExternalName") return undefined;
  return new LabelSelector(
    Object.entries(spec.selector).map(([key, value]) => ({ key, operator: "=", values: [value] })),
  );
}

const watches = {
  pods: watched(Pod, {
    when: when.changed((pod) => [
      pod.metadata.labels,
      pod.metadata.deletionTimestamp,
      pod.spec?.hostname,
      pod.spec?.subdomain,
      pod.spec?.nodeName,
      pod.status?.podIPs,
      isReady(pod),
      hasEndpoint(pod),
    ]),
    indexes: { label: ({ metadata: { namespace = "", labels } }) => labelValues(namespace, labels) },
    map: ({ metadata: { namespace = "", labels } }, cache) =>
      labelValues(namespace, labels)
        .flatMap((value) => cache.by(Service, "selector", value))
        .filter((service) => selectorOf(service)?.matches(labels) === true)
        .map(keyOf),
  }),
  services: watched(Service, {
    indexes: {
      selector: (service) =>
        selectorOf(service) === undefined
          ? undefined
          : selectorValue(service.metadata.namespace ?? "", service.spec?.selector),
    },
  }),
  slices: watched(EndpointSlice, {
    labels: `${managedByLabel}=${managedBy}`,
    indexes: {
      service: ({ metadata: { namespace = "", labels } }) => `${namespace}/${labels?.[serviceNameLabel] ?? ""}`,
    },
    map: ({ metadata: { namespace = "", labels } }) => [{ namespace, name: labels?.[serviceNameLabel] ?? "" }],
  }),
  nodes: watched(Node, { metadataOnly: true, when: when.labelsChanged() }),
};

type Context = Pick<ReconcileContext, "client" | "namespace">;

function endpointSlices(): Controller {
  const triggers = new Remembered<{ readonly uid: string; readonly times: Triggers }>();
  return defineController({
    name: "endpointslice",
    for: Service,
    fieldManager,
    writesStatus: false,
    concurrency: 5,
    watches,
    access: [{ type: EndpointSlice, verbs: ["create", "update", "delete"] }],
    when: when.any(
      when.labelsChanged(),
      when.changed(({ spec }) => spec),
    ),
    async reconcile(context) {
      const {
        object: service,
        key,
        namespace,
        watched: { pods, slices, nodes },
        all,
      } = context;
      const selector = selectorOf(service);
      if (selector === undefined) return;
      const chosen = pods
        .by("label", selectorValue(namespace, service.spec?.selector))
        .filter(({ metadata }) => selector.matches(metadata.labels ?? {}));
      const times = triggersOf(service, chosen);
      const before = triggers.get(key);
      const at = triggerTime(before?.uid === service.metadata.uid ? before.times : undefined, times);
      triggers.set(key, { uid: service.metadata.uid, times }, (other) => all.has(other));
      const existing = slices.by("service", key).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const types = addressTypes(service);
      const labelsOf = (node: string): Readonly<Record<string, string>> | undefined => {
        const found = nodes.get(node === "" ? "-" : node);
        return found === undefined ? undefined : (found.metadata.labels ?? {});
      };
      const skipped: string[] = [];
      for (const type of types) {
        const desired = desiredEndpoints(service, chosen, { type, labelsOf });
        const same = existing.filter(({ addressType }) => addressType === type);
        await write(context, sliceChanges(service, same, { type, groups: desired.groups }), at);
        skipped.push(
          ...desired.skipped.map(({ pod, node }) => `skipping Pod ${pod} for Service ${key}: Node ${node} Not Found`),
        );
      }
      const foreign = existing.filter(({ addressType }) => !types.some((type) => type === addressType));
      await write(context, { create: [], update: [], delete: foreign }, at);
      if (skipped.length === 0) return;
      const problem = skipped.length === 1 ? (skipped[0] ?? "") : `[${skipped.join(", ")}]`;
      const note = `Error updating Endpoint Slices for Service ${key}: ${problem}`;
      context.event({ type: "Warning", reason: "FailedToUpdateEndpointSlices", note });
      throw new TransientError(`${note}; retrying`);
    },
  });
}

/**
 * Writes the changes and stamps each slice with the trigger time, from which kube-proxy measures network programming
 * latency. Creates are refused in a namespace that is being deleted; the remaining changes are then skipped, because the
 * slices are deleted with the namespace.
 */
async function write({ client, namespace }: Context, changes: SliceChanges, at: number | undefined): Promise<void> {
  for (const slice of changes.create) {
    try {
      await client.create(EndpointSlice, stamped(slice, at));
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      throw error;
    }
  }
  for (const slice of changes.update) await client.update(EndpointSlice, stamped(slice, at));
  for (const { metadata } of changes.delete) {
    await client.delete(EndpointSlice, { namespace, name: metadata.name ?? "" });
  }
}

function stamped(slice: DeepReadonly<EndpointSlice>, at: number | undefined): DeepReadonly<EndpointSlice> {
  const { [triggerTimeKey]: _, ...annotations } = slice.metadata.annotations ?? {};
  const next = at === undefined ? annotations : { ...annotations, [triggerTimeKey]: formatTime(at) };
  return { ...slice, metadata: { ...slice.metadata, annotations: next } };
}
