// A Service that routes to the proxy: the write that takes it over, and the write that restores it.

import { formatMicroTime, formatTime, isEqual, microsFromMs, ownValue, tryParseTime } from "@homeostat/core";
import type { MergePatch } from "@homeostat/client";
import type { Service, ServicePort } from "@homeostat/kubernetes/core/v1";
import { annotations, labels } from "../api/identity.ts";
import { isListenPort, type ListenPorts, listenPortOf } from "./listen-ports.ts";
import {
  type CachedService,
  currentTargets,
  formatOriginal,
  type OriginalService,
  readOriginal,
} from "./service-view.ts";

/** A Service, compared with what a takeover writes to it. */
export type TakeoverState =
  | "absent"
  /** Leads to the baseline, and has no record of a takeover. */
  | "original"
  | "takenOver"
  /** Taken over, with ports that were added since and have no listener. */
  | "incomplete"
  /** Has the record of a takeover, but another client has changed its selector or target ports. */
  | "reverted"
  /** Selects the proxy, but another client has removed the record of the original. */
  | "unrecorded";

/** The selector of all Services that are taken over. */
export const proxySelector: Readonly<Record<string, string>> = { [labels.proxy]: "true" };

/** Reports whether a Service selects the pods of the proxy. */
export function selectsProxy({ spec }: CachedService): boolean {
  return isEqual(spec?.selector ?? {}, proxySelector);
}

/** Compares a Service with what a takeover with these listening ports writes. */
export function takeoverState(service: CachedService | undefined, ports: ListenPorts): TakeoverState {
  if (service === undefined || service.metadata.deletionTimestamp !== undefined) return "absent";
  if (!selectsProxy(service))
    return service.metadata.annotations?.[annotations.original] === undefined ? "original" : "reverted";
  const original = readOriginal(service);
  if (original === undefined) return "unrecorded";
  const wrong = (service.spec?.ports ?? []).filter(({ port, targetPort }) => targetPort !== listenPortOf(ports, port));
  if (wrong.length === 0) return "takenOver";
  return wrong.some(({ port }) => originalPort(original, port) !== undefined) ? "reverted" : "incomplete";
}

/** Returns the time before which a Service must not be taken over. */
export function holdOf(service: CachedService | undefined): number | undefined {
  const text = service?.metadata.annotations?.[annotations.holdUntil];
  return text === undefined ? undefined : tryParseTime(text);
}

/** Returns the time of the last revert that was recorded when the Service was taken over. */
export function lastRevertOf(service: CachedService | undefined): number | undefined {
  const text = service?.metadata.annotations?.[annotations.lastRevert];
  return text === undefined ? undefined : tryParseTime(text);
}

/**
 * Returns the patch that takes a Service over. It contains the record of the original, the selector and the target ports, so no state between them
 * exists, and the resource version, so it fails if another client was faster. Undefined for a Service that already selects the proxy and has no
 * record of the original.
 */
export function takeoverPatch(
  service: CachedService,
  { ports, lastRevert }: TakeoverOptions,
): MergePatch<Service> | undefined {
  const original = originalOf(service);
  if (original === undefined) return undefined;
  return servicePatch(service, {
    notes: {
      [annotations.original]: formatOriginal(original),
      [annotations.holdUntil]: null,
      [annotations.lastRevert]: lastRevert === undefined ? null : formatMicroTime(microsFromMs(lastRevert)),
    },
    selector: proxySelector,
    targetPort: ({ port, targetPort }) => listenPortOf(ports, port) ?? targetPort,
  });
}

export interface TakeoverOptions {
  readonly ports: ListenPorts;
  /** Time of the last revert by another client, in milliseconds. It distinguishes a later revert of this takeover from that one. */
  readonly lastRevert?: number | undefined;
}

export interface RestoreOptions {
  /** The Service that routes to the baseline. It has the original selector and target ports if the record was lost. */
  readonly base?: CachedService | undefined;
  /** Time before which the Service must not be taken over again, in milliseconds. */
  readonly holdUntil?: number | undefined;
}

/**
 * Returns the patch that restores a Service. Undefined if nothing needs to be restored, or if the original is unknown: the Service is then not
 * changed. Values that another client has set are kept.
 */
export function restorePatch(
  service: CachedService,
  { base, holdUntil }: RestoreOptions = {},
): MergePatch<Service> | undefined {
  const isRecorded = service.metadata.annotations?.[annotations.original] !== undefined;
  if (!isRecorded && !selectsProxy(service)) return undefined;
  const original = originalOf(service) ?? (base === undefined ? undefined : originalOf(base));
  if (original === undefined && selectsProxy(service)) return undefined;
  return servicePatch(service, {
    notes: {
      [annotations.original]: null,
      [annotations.lastRevert]: null,
      ...(holdUntil === undefined ? {} : { [annotations.holdUntil]: formatTime(holdUntil) }),
    },
    selector: selectsProxy(service) ? (original?.selector ?? {}) : (service.spec?.selector ?? {}),
    targetPort: ({ port, targetPort }) =>
      isListenPort(targetPort) ? (originalPort(original, port) ?? targetPort) : targetPort,
  });
}

/**
 * Returns the selector and target ports without the proxy: current values of the Service, and recorded values in place of those of the proxy. Returns
 * undefined if the Service selects the proxy and has no valid record.
 */
function originalOf(service: CachedService): OriginalService | undefined {
  const recorded = readOriginal(service);
  const isProxied = selectsProxy(service);
  if (isProxied && recorded === undefined) return undefined;
  const current = currentTargets(service);
  const targetPorts = Object.entries(current.targetPorts).map(([port, target]) => {
    const before = isListenPort(target) ? originalPort(recorded, Number(port)) : undefined;
    return [port, before ?? target];
  });
  return {
    selector: isProxied ? (recorded?.selector ?? {}) : current.selector,
    targetPorts: Object.fromEntries(targetPorts),
  };
}

function originalPort(original: OriginalService | undefined, port: number): string | number | undefined {
  const found = ownValue({ ...original?.targetPorts }, String(port));
  return typeof found === "string" || typeof found === "number" ? found : undefined;
}

function servicePatch(
  { metadata, spec = {} }: CachedService,
  change: {
    readonly notes: Readonly<Record<string, string | null>>;
    readonly selector: Readonly<Record<string, string>>;
    readonly targetPort: (port: Readonly<ServicePort>) => string | number | undefined;
  },
): MergePatch<Service> {
  const removed = Object.keys(spec.selector ?? {}).filter((key) => !Object.hasOwn(change.selector, key));
  return {
    metadata: { resourceVersion: metadata.resourceVersion ?? "", annotations: change.notes },
    spec: {
      selector: { ...Object.fromEntries(removed.map((key) => [key, null])), ...change.selector },
      ports: (spec.ports ?? []).map((port) => ({ ...port, targetPort: change.targetPort(port) ?? port.port })),
    },
  };
}
