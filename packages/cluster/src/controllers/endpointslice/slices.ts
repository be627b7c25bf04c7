import { type DeepReadonly, dnsSubdomainProblems, isEqual, maskTrailingDash } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { Endpoint, EndpointPort, EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { type AddressType, type EndpointGroup, endpointKey, portsKey } from "./endpoints.ts";

/** Value of the managed-by label on slices of this controller. */
export const managedBy = "endpointslice-controller.k8s.io";
export const serviceNameLabel = "kubernetes.io/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
const headlessLabel = "service.kubernetes.io/headless";
const endpointsMax = 100;

type Slice = DeepReadonly<EndpointSlice>;
type AnyService = DeepReadonly<Service>;

/** The writes that bring slices to their desired state. */
export interface SliceChanges {
  /** Slices without a name: the server generates it. */
  readonly create: readonly Slice[];
  readonly update: readonly Slice[];
  readonly delete: readonly Slice[];
}

/**
 * Returns the changes that bring the slices of one IP family to the desired endpoints with as few writes as possible.
 *
 * The order follows `reconcileByPortMapping` of k8s.io/endpointslice: (1) remove endpoints that are not desired and
 * update changed ones in place, (2) fill the slices that must be written anyway, fullest first, (3) put the rest into
 * the untouched slice where it fits best, or into new slices. Each write of a slice is sent to kube-proxy on every
 * node, so few writes matter more than full slices.
 */
export function sliceChanges(
  service: AnyService,
  existing: readonly Slice[],
  { type, groups }: { readonly type: AddressType; readonly groups: readonly EndpointGroup[] },
): SliceChanges {
  const own = existing.filter((slice) => isOwnedBy(slice, service));
  const create: Slice[] = [];
  const update: Slice[] = [];
  const remove: Slice[] = existing.filter((slice) => !own.includes(slice));
  const desired = new Set(groups.map(({ ports }) => portsKey(ports)));
  for (const group of groups) {
    const key = portsKey(group.ports);
    const same = own.filter((slice) => portsKey(slice.ports ?? []) === key);
    const changes = groupChanges(service, same, { type, group });
    create.push(...changes.create);
    update.push(...changes.update);
    remove.push(...changes.delete);
  }
  remove.push(...own.filter((slice) => !desired.has(portsKey(slice.ports ?? []))));
  if (remove.length === existing.length && create.length === 0) {
    // A Service always has a slice, so that readers can tell "no endpoints" from "not processed yet".
    const placeholder = newSlice(service, { type, ports: [], endpoints: [] });
    const [only] = remove;
    if (remove.length === 1 && only !== undefined && isPlaceholder(only, placeholder)) remove.pop();
    else create.push(placeholder);
  }
  return reuse(service, { create, update, delete: remove });
}

/** Returns the labels of the slices of a Service. */
export function sliceLabels({ metadata, spec }: AnyService): Readonly<Record<string, string>> {
  const own = Object.entries(metadata.labels ?? {}).filter(([key]) => !isReserved(key));
  const isHeadless = spec?.clusterIP === undefined || spec.clusterIP === "" || spec.clusterIP === "None";
  return {
    ...Object.fromEntries(own),
    ...(isHeadless ? { [headlessLabel]: "" } : {}),
    [serviceNameLabel]: metadata.name ?? "",
    [managedByLabel]: managedBy,
  };
}

interface Draft {
  readonly slice: Slice | undefined;
  endpoints: DeepReadonly<Endpoint>[];
  isChanged: boolean;
}

function groupChanges(
  service: AnyService,
  existing: readonly Slice[],
  { type, group }: { readonly type: AddressType; readonly group: EndpointGroup },
): SliceChanges {
  const left = new Map(group.endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const labels = sliceLabels(service);
  const drafts: Draft[] = existing.map((slice) => {
    const before = slice.endpoints ?? [];
    let isChanged = !isEqual(withoutReserved(slice.metadata.labels), withoutReserved(labels));
    const endpoints = before.flatMap((endpoint) => {
      const key = endpointKey(endpoint);
      const next = left.get(key);
      if (next === undefined) return [];
      left.delete(key);
      isChanged ||= !isSameState(next, endpoint);
      return [next];
    });
    return { slice, endpoints, isChanged: isChanged || endpoints.length !== before.length };
  });
  const emptied = drafts.filter(({ endpoints, isChanged }) => isChanged && endpoints.length === 0);
  const kept = drafts.filter((draft) => !emptied.includes(draft));
  const waiting = [...left.values()];
  for (const draft of kept.filter(({ isChanged }) => isChanged).sort(byFullness)) fill(draft, waiting);
  while (waiting.length > 0) {
    const untouched = kept.filter(({ isChanged }) => !isChanged);
    const draft = (waiting.length < endpointsMax ? tightest(untouched, waiting.length) : undefined) ?? {
      slice: undefined,
      endpoints: [],
      isChanged: true,
    };
    if (draft.slice === undefined) kept.push(draft);
    draft.isChanged = true;
    fill(draft, waiting);
  }
  return {
    create: kept
      .filter(({ slice }) => slice === undefined)
      .map(({ endpoints }) => newSlice(service, { type, ports: group.ports, endpoints })),
    update: kept.flatMap(({ slice, endpoints, isChanged }) =>
      slice === undefined || !isChanged ? [] : { ...slice, metadata: { ...slice.metadata, labels }, endpoints },
    ),
    delete: emptied.flatMap(({ slice }) => slice ?? []),
  };
}

function fill(draft: Draft, waiting: DeepReadonly<Endpoint>[]): void {
  draft.endpoints = [...draft.endpoints, ...waiting.splice(0, endpointsMax - draft.endpoints.length)];
}

/** Returns the fullest slice that still has room for all `count` endpoints. */
function tightest(drafts: readonly Draft[], count: number): Draft | undefined {
  const fitting = drafts.filter(({ endpoints }) => endpoints.length + count <= endpointsMax);
  return fitting.sort(byFullness)[0];
}

function byFullness(a: Draft, b: Draft): number {
  return b.endpoints.length - a.endpoints.length;
}

/**
 * Turns a delete and a create into one update of the slice that would be deleted: one write and one watch event less.
 */
function reuse(service: AnyService, changes: SliceChanges): SliceChanges {
  const create = [...changes.create];
  const update = [...changes.update];
  const remove = changes.delete.filter((slice) => {
    const next = create.at(-1);
    if (next === undefined || next.addressType !== slice.addressType || !isOwnedBy(slice, service)) return true;
    create.pop();
    const { name = "" } = slice.metadata;
    update.push({ ...next, metadata: { ...next.metadata, name } });
    return false;
  });
  return { create, update, delete: remove };
}

function newSlice(
  service: AnyService,
  {
    type,
    ports,
    endpoints,
  }: {
    readonly type: AddressType;
    readonly ports: readonly DeepReadonly<EndpointPort>[];
    readonly endpoints: readonly DeepReadonly<Endpoint>[];
  },
): Slice {
  const { name = "", namespace = "", uid = "" } = service.metadata;
  const prefix = `${name}-`;
  const owner = { apiVersion: "v1", kind: "Service", name, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      namespace,
      generateName: dnsSubdomainProblems(maskTrailingDash(prefix)).length === 0 ? prefix : name,
      labels: sliceLabels(service),
      ownerReferences: [owner],
    },
    addressType: type,
    endpoints,
    ports,
  };
}

function isPlaceholder(slice: Slice, placeholder: Slice): boolean {
  return (
    slice.addressType === placeholder.addressType &&
    (slice.endpoints ?? []).length === 0 &&
    (slice.ports ?? []).length === 0 &&
    isEqual(slice.metadata.labels, placeholder.metadata.labels)
  );
}

function isOwnedBy({ metadata: { ownerReferences = [] } }: Slice, { metadata: { uid } }: AnyService): boolean {
  return ownerReferences.some((owner) => owner.uid === uid && owner.kind === "Service" && owner.apiVersion === "v1");
}

function isSameState(a: DeepReadonly<Endpoint>, b: DeepReadonly<Endpoint>): boolean {
  return (
    a.nodeName === b.nodeName &&
    a.zone === b.zone &&
    isEqual(a.conditions, b.conditions) &&
    isEqual(a.targetRef, b.targetRef)
  );
}

function isReserved(label: string): boolean {
  return label === serviceNameLabel || label === managedByLabel || label === headlessLabel;
}

function withoutReserved(labels: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !isReserved(key)));
}
