import type { JsonRecord } from "@homeostat/core";
import type { AdmissionStep } from "../admission/admission.ts";
import { type OutdatedQuota, ResourceQuotas } from "../admission-plugins/quota/quotas.ts";
import { UsageIndex } from "../admission-plugins/quota/usage-index.ts";
import { standardSteps } from "../admission-plugins/standard-steps.ts";
import { type ServiceResolver, WebhookClient } from "../admission/webhooks/webhook-client.ts";
import type { TokenObjects } from "../auth/service-account-tokens.ts";
import type { SpecialEndpoint } from "../handlers/special-endpoints.ts";
import { keyOf, keyPrefix } from "../resources/keys.ts";
import type { Kinds } from "../registry/kinds.ts";
import type { Registry } from "../registry/registry.ts";
import { encodeAtRevision } from "../registry/stored-object.ts";
import { lostKey, type Store } from "../storage/store.ts";
import type { SpecialTools } from "../endpoints/endpoint-tools.ts";
import { specialEndpoints } from "../kinds/endpoints.ts";
import type { NodeProvider } from "../endpoints/node-provider.ts";
import { AllocatedNumbers } from "../kinds/core/service/allocated-numbers.ts";
import { ServiceAllocation } from "../kinds/core/service/allocation.ts";

/** Parts of a server that admission and the special endpoints need. */
export interface StandardTools extends SpecialTools {
  readonly registry: Registry;
  readonly kinds: Kinds;
  readonly store: Store<JsonRecord>;
  /** CIDR of Service addresses. */
  readonly serviceNetwork: string;
}

/** Options of {@link standardServer}. */
export interface StandardOptions {
  /** Resolves Services of webhooks to an address. Default: no Service is found. */
  readonly resolveService?: ServiceResolver;
  /** Takes the role of the kubelets, for logs, exec and the like. */
  readonly nodes?: NodeProvider;
  /** True if controllers and a scheduler run; `componentstatuses` reports them as healthy. Default false. */
  readonly hasControllers?: boolean;
  /** Names of admission plugins to disable: `ServiceAccount`. */
  readonly disabledSteps?: readonly string[];
}

/**
 * Admission plugins and special endpoints of one server. Disposing it stops its watchers and closes its connections.
 */
export interface StandardServer extends Disposable {
  readonly steps: readonly AdmissionStep[];
  readonly endpoints: readonly SpecialEndpoint[];
}

const quotaPrefix = keyPrefix("", "resourcequotas");

/**
 * Builds the admission plugins and special endpoints with the defaults of kube-apiserver.
 *
 * It also keeps the status of ResourceQuotas up to date, by following the store.
 */
export function standardServer(
  tools: StandardTools,
  objects: TokenObjects,
  { resolveService = noService, nodes, hasControllers = false, disabledSteps = [] }: StandardOptions = {},
): StandardServer {
  const { registry: reader, kinds, store, clock, random, authorizer, serviceNetwork: range } = tools;
  const client = new WebhookClient({ clock, resolveService });
  const usage = new UsageIndex(store, clock);
  const quotas = new ResourceQuotas({ reader, clock, index: usage });
  const allocated = new AllocatedNumbers(store);
  const services = new ServiceAllocation({ allocated, clock, random, range });
  const steps = standardSteps({
    reader,
    clock,
    random,
    authorizer,
    client,
    equivalents: (kind) => kinds.all().filter((other) => other.prefix === kind.prefix),
    complete: (object, kind, subresource) => {
      if (subresource !== "" && subresource !== "status") return object;
      return kind.completeAdmitted?.(object) ?? kind.complete(object, "Ignore").object;
    },
    findKind: (apiVersion, kind) => {
      const slash = apiVersion.indexOf("/");
      return kinds.findKind(apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1), kind);
    },
    hasControllers,
    last: [services.step, quotas.step],
    disabled: disabledSteps,
  });
  const unsubscribe = followQuotas(store, quotas);
  return {
    steps,
    endpoints: specialEndpoints(tools, { objects, hasControllers, ...(nodes === undefined ? {} : { nodes }) }),
    [Symbol.dispose]() {
      unsubscribe();
      allocated[Symbol.dispose]();
      usage[Symbol.dispose]();
      client.close();
    },
  };
}

const noService: ServiceResolver = ({ name }) => `service "${name}" not found`;

/** Updates the status of quotas after each change in their namespaces, until the returned function is called. */
function followQuotas(store: Store<JsonRecord>, quotas: ResourceQuotas): () => void {
  let seen = store.visibleRevision;
  const limited = new Set<string>();
  for (const { key } of store.view().entries({ prefix: quotaPrefix })) limited.add(namespaceOf(key));
  return store.subscribe((visible) => {
    const changed = new Set<string>();
    for (; seen < visible; seen += 1) {
      const key = store.change(seen + 1)?.key;
      if (key === undefined) continue;
      // The update of a status may be among the lost writes.
      if (key === lostKey) for (const each of limited) changed.add(each);
      const namespace = namespaceOf(key);
      if (key.startsWith(quotaPrefix)) limited.add(namespace);
      if (limited.has(namespace)) changed.add(namespace);
    }
    for (const namespace of changed) for (const quota of quotas.outdated(namespace)) write(store, quota);
  });
}

/**
 * Returns the namespace in a key `group/resource/namespace/name`; empty for cluster-scoped objects, whose keys have
 * three parts.
 */
function namespaceOf(key: string): string {
  const [, , namespace = "", name] = key.split("/", 4);
  return name === undefined ? "" : namespace;
}

function write(store: Store<JsonRecord>, { namespace, name, status }: OutdatedQuota): void {
  const key = keyOf(quotaPrefix, namespace, name);
  const entry = store.get(key);
  if (entry === undefined) return;
  store.update(key, encodeAtRevision({ ...store.read(entry), status }), { ifRevision: entry.revision });
}
