// Services that route to the pods of a fork, one for each Service of the baseline.

import { type DeepReadonly } from "homeostat";
import { withoutUndefined } from "@homeostat/core";
import type { Service, ServicePort } from "@homeostat/kubernetes/core/v1";
import { labels } from "../api/identity.ts";
import { forkServiceName, serviceAddress } from "../api/names.ts";
import { selectsPods } from "../api/pod-selector.ts";
import type { ServiceEntry } from "../api/sandbox.ts";
import type { Baseline, PodTemplate } from "./baseline.ts";
import type { EntryAddress } from "./env.ts";
import { type ChildObject, type EntryIdentity, objectLabels, withOwner } from "./metadata.ts";
import { entryField, type Refusal } from "./refusal.ts";
import { type CachedService, servicesSelecting, type ServiceView, viewService } from "./service-view.ts";

/** A Service of a fork. */
export interface ForkService {
  /** Name of the Service of the baseline that it replaces. */
  readonly baseline: string;
  readonly isHeadless: boolean;
  readonly service: ChildObject<Service>;
}

/** The Services of a fork. Empty if no Service selects the baseline. */
export interface ForkServices {
  readonly services: readonly ForkService[];
  /** Ports of Services of the baseline that no container of the fork serves, as `service:port`, sorted. */
  readonly missingPorts: readonly string[];
}

/** Input of {@link buildForkServices}. */
export interface ForkServicesInput {
  readonly identity: EntryIdentity;
  readonly baseline: Baseline;
  readonly entry: DeepReadonly<ServiceEntry>;
  readonly services: readonly CachedService[];
  readonly fork: { readonly name: string; readonly template: PodTemplate };
}

/** Builds the Services of a fork, or returns why `serviceNames` of the entry cannot be used. */
export function buildForkServices({
  identity,
  baseline,
  entry,
  services,
  fork,
}: ForkServicesInput): ForkServices | Refusal {
  const chosen = chooseServices({ baseline, entry, services });
  if ("problems" in chosen) return chosen;
  const declared = { baseline: portsOf(baseline.template), fork: portsOf(fork.template) };
  const results = chosen.map((view) => {
    const ports = view.ports.flatMap((port) => servedPort(port, declared) ?? []);
    const served = new Set(ports.map(portId));
    const missing = view.ports.filter((port) => !served.has(portId(port)));
    return { view, ports, missing: missing.map(({ port }) => `${view.name}:${port}`) };
  });
  return {
    services: results
      .filter(({ ports }) => ports.length > 0)
      .map(({ view, ports }) => ({
        baseline: view.name,
        isHeadless: view.isHeadless,
        service: build(identity, view, ports, fork.name),
      })),
    missingPorts: [...new Set(results.flatMap(({ missing }) => missing))].toSorted(),
  };
}

/** Returns the Services of the baseline that an entry overrides: those it names, otherwise all that select the workload. */
export function chooseServices({
  baseline,
  entry,
  services,
}: Pick<ForkServicesInput, "baseline" | "entry" | "services">): readonly ServiceView[] | Refusal {
  const podLabels = baseline.template.metadata?.labels ?? {};
  const { serviceNames } = entry;
  if (serviceNames === undefined || serviceNames.length === 0) return servicesSelecting(services, podLabels);
  const views = services.map(viewService);
  const chosen = serviceNames.map((name) => views.find((view) => view.name === name && !view.isOurs));
  const problems = serviceNames.flatMap((name, index) => {
    const view = chosen[index];
    if (view !== undefined && selectsPods(view, podLabels)) return [];
    const path = entryField(entry.name, `serviceNames[${index}]`);
    const workload = `${baseline.kind} ${baseline.name}`;
    const message =
      view === undefined
        ? `the namespace ${baseline.namespace} has no Service ${name}`
        : `the Service ${name} does not select the ${workload}; name a Service that does, or omit serviceNames`;
    return [{ path, message }];
  });
  if (problems.length > 0) return { reason: "InvalidReference", problems };
  return chosen.filter((view) => view !== undefined).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Ports that the containers of a template declare. */
interface DeclaredPorts {
  /** Numbers by name and protocol: `http/TCP`. */
  readonly names: ReadonlyMap<string, number>;
  /** Numbers with their protocols: `8080/TCP`. */
  readonly numbers: ReadonlySet<string>;
}

function portsOf({ spec }: PodTemplate): DeclaredPorts {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const ports = [...(spec?.containers ?? []), ...sidecars].flatMap((container) => container.ports ?? []);
  return {
    names: new Map(
      ports.map(({ name = "", containerPort, protocol = "TCP" }) => [`${name}/${protocol}`, containerPort]),
    ),
    numbers: new Set(ports.map(({ containerPort, protocol = "TCP" }) => `${containerPort}/${protocol}`)),
  };
}

function portId({ port, protocol = "TCP" }: DeepReadonly<ServicePort>): string {
  return `${port}/${protocol}`;
}

/**
 * Returns a port of a Service with a target that the fork serves, or undefined if no container serves it.
 *
 * A named target must be declared. If the fork declares its number under another name, the target is the number. A number need not be
 * declared, as pods listen on ports that they do not declare; it is missing only if the baseline declares it and the fork does not.
 */
function servedPort(
  port: DeepReadonly<ServicePort>,
  declared: { readonly baseline: DeclaredPorts; readonly fork: DeclaredPorts },
): DeepReadonly<ServicePort> | undefined {
  const { targetPort = port.port, protocol = "TCP" } = port;
  const id = `${targetPort}/${protocol}`;
  const { baseline, fork } = declared;
  if (typeof targetPort === "number") return baseline.numbers.has(id) && !fork.numbers.has(id) ? undefined : port;
  if (fork.names.has(id)) return port;
  const number = baseline.names.get(id);
  return number !== undefined && fork.numbers.has(`${number}/${protocol}`)
    ? { ...port, targetPort: number }
    : undefined;
}

function build(
  identity: EntryIdentity,
  view: ServiceView,
  ports: readonly DeepReadonly<ServicePort>[],
  fork: string,
): ChildObject<Service> {
  const { sandbox, entry } = identity;
  const { name = "", uid = "" } = sandbox.metadata;
  const { sessionAffinity, sessionAffinityConfig, publishNotReadyAddresses } = view.spec;
  return withOwner<ChildObject<Service>>(sandbox, {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: forkServiceName({ name, uid }, entry, view),
      namespace: view.namespace,
      labels: objectLabels(identity),
    },
    spec: {
      type: "ClusterIP",
      ...(view.isHeadless && { clusterIP: "None", ...withoutUndefined({ publishNotReadyAddresses }) }),
      selector: { [labels.fork]: fork },
      ports: ports.map(({ name: portName, port, protocol, targetPort, appProtocol }) => ({
        ...withoutUndefined({ name: portName, protocol, targetPort, appProtocol }),
        port,
      })),
      ...withoutUndefined({ sessionAffinity }),
      ...(sessionAffinity === "ClientIP" && withoutUndefined({ sessionAffinityConfig })),
    },
  });
}

/**
 * Returns the address for variables of other entries: the first Service with a cluster IP, and its first port. It depends only on the baseline, so
 * entries can refer to each other.
 */
export function forkAddress(
  identity: EntryIdentity,
  input: Pick<ForkServicesInput, "baseline" | "entry" | "services">,
): EntryAddress | undefined {
  const chosen = chooseServices(input);
  if ("problems" in chosen) return undefined;
  const view = chosen.find(({ isHeadless }) => !isHeadless) ?? chosen[0];
  const port = view?.ports[0]?.port;
  if (view === undefined || port === undefined) return undefined;
  const { name = "", uid = "" } = identity.sandbox.metadata;
  const service = forkServiceName({ name, uid }, identity.entry, view);
  const [host = ""] = serviceAddress(service, view.namespace, port).split(":");
  return { host, port };
}
