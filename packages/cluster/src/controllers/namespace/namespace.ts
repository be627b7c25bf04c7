import { type ApiResource, type Client } from "@homeostat/client";
import { ApiError, type KubeObject, NotFoundError, TransientError } from "@homeostat/core";
import { Namespace, Pod } from "@homeostat/kubernetes/core/v1";
import type { Informer, WorkQueue } from "@homeostat/runtime";
import { type ControlLoop, type ControlParts, fieldManager } from "../common/parts.ts";
import { controlQueue, type WorkResult, processQueue } from "../common/work.ts";
import { type Findings, namespaceConditions } from "./conditions.ts";
import { deletableKinds, deleteContent, isPods, type Leftover, podSeconds } from "./content.ts";

const name = "namespace-controller";
const finalizer = "kubernetes";
const workers = 4;
/** Number of kinds whose objects are deleted in parallel, per namespace. */
const kindsAtOnce = 6;

/**
 * Builds the namespace controller, which deletes the content of namespaces that are being deleted, pods first, and
 * then finalizes them.
 *
 * It also processes a namespace when an object in it is deleted, so the end of a deletion does not wait for the
 * estimate of the last attempt.
 */
export function namespaceController(parts: ControlParts): ControlLoop {
  return { name, when: "leading", run: (signal) => run(parts, signal) };
}

async function run(parts: ControlParts, signal: AbortSignal): Promise<void> {
  const { cache, clock, kinds, log } = parts;
  const queue = controlQueue(name, clock, 60_000);
  using namespaces = cache.informer(Namespace);
  using _ = namespaces.subscribe(({ type, object }) => {
    if (type !== "delete" && object.metadata.deletionTimestamp !== undefined) queue.add(object.metadata.name);
  });
  using content = watchContent(parts, namespaces, queue);
  await kinds.ready();
  const work = (key: string, stop: AbortSignal): Promise<WorkResult> => processNamespace(parts, key, stop);
  await processQueue({ queue, log, workers }, work, signal);
  content[Symbol.dispose]();
}

/** Queues a terminating namespace when an object in it is deleted. */
function watchContent({ kinds }: ControlParts, namespaces: Informer<Namespace>, queue: WorkQueue): Disposable {
  const subscriptions = new Map<ApiResource, Disposable>();
  const follow = (informer: Informer<KubeObject>): Disposable =>
    informer.subscribe(({ type, object: { metadata } }) => {
      if (type !== "delete" || metadata.namespace === undefined) return;
      if (namespaces.get(metadata.namespace)?.metadata.deletionTimestamp !== undefined) queue.add(metadata.namespace);
    });
  const listening = kinds.subscribe({
    added: (kind, informer) => {
      if (kind.scope === "Namespaced") subscriptions.set(kind, follow(informer));
    },
    removed: (kind) => {
      subscriptions.get(kind)?.[Symbol.dispose]();
      subscriptions.delete(kind);
    },
  });
  return {
    [Symbol.dispose]() {
      listening[Symbol.dispose]();
      for (const subscription of subscriptions.values()) subscription[Symbol.dispose]();
      subscriptions.clear();
    },
  };
}

/** Performs one attempt at the deletion of a namespace (`syncNamespaceFromKey`). */
async function processNamespace(parts: ControlParts, key: string, signal: AbortSignal): Promise<WorkResult> {
  const { client } = parts;
  const found = await client.get(Namespace, { name: key }, { signal });
  const deletedAt = found?.metadata.deletionTimestamp;
  if (found === undefined || deletedAt === undefined || (found.spec?.finalizers ?? []).length === 0) return undefined;
  const namespace = await markTerminating(client, found, signal);
  const { findings, leftovers } = await deleteAllContent(parts, namespace, { deletedAt, signal });
  await writeConditions(parts, namespace, findings, signal);
  const problems = [
    ...findings.deletionProblems,
    ...(findings.discoveryProblem === undefined ? [] : [findings.discoveryProblem]),
  ];
  if (problems.length > 0)
    throw new TransientError(`Failed to delete the content of namespace ${key}: ${problems.join(", ")}; retrying`);
  const seconds = Math.max(0, ...leftovers.map(({ estimateSeconds }) => estimateSeconds));
  if (seconds > 0) return { afterMs: (Math.trunc(seconds / 2) + 1) * 1000 };
  await finalize(client, key, signal);
  return undefined;
}

async function markTerminating(client: Client, namespace: Namespace, signal: AbortSignal): Promise<Namespace> {
  if (namespace.status?.phase === "Terminating") return namespace;
  const next = { ...namespace, status: { ...namespace.status, phase: "Terminating" as const } };
  return client.update(Namespace, next, { subresource: "status", fieldManager, signal });
}

interface DeletionResult {
  readonly findings: Findings;
  readonly leftovers: readonly Leftover[];
}

/** Deletes all content. While pods exist nothing else is deleted, because terminating pods may still use it. */
async function deleteAllContent(
  { client, kinds, clock }: ControlParts,
  { metadata: { name: namespace = "" } }: Namespace,
  { deletedAt, signal }: { readonly deletedAt: string; readonly signal: AbortSignal },
): Promise<DeletionResult> {
  const discoveryProblem = await discoveryProblemOf(kinds, signal);
  const all = deletableKinds(kinds.preferred);
  const leftovers: Leftover[] = [];
  const pods = all.find(isPods);
  if (pods !== undefined) {
    const { items } = await client.list(Pod, { namespace, signal });
    const graceSeconds = podSeconds(items, deletedAt, clock.now());
    const left = await deleteContent(client, pods, { namespace, graceSeconds, signal });
    leftovers.push(left);
    if (left.count > 0) {
      // While pods remain, Kubernetes does not report remaining content; it does so only for the kinds deleted after
      // the pods.
      const findings = { ...findingsOf(leftovers, discoveryProblem), remaining: [], finalizers: new Map() };
      return { findings, leftovers };
    }
  }
  const rest = all.filter((kind) => kind !== pods);
  const worker = async (): Promise<void> => {
    for (let kind = rest.shift(); kind !== undefined; kind = rest.shift()) {
      leftovers.push(await deleteContent(client, kind, { namespace, signal }));
    }
  };
  await Promise.all(Array.from({ length: kindsAtOnce }, worker));
  return { findings: findingsOf(leftovers, discoveryProblem), leftovers };
}

function findingsOf(leftovers: readonly Leftover[], discoveryProblem: string | undefined): Findings {
  const finalizers = new Map<string, number>();
  for (const leftover of leftovers) {
    for (const [token, count] of leftover.finalizers) finalizers.set(token, (finalizers.get(token) ?? 0) + count);
  }
  return {
    discoveryProblem,
    deletionProblems: leftovers.flatMap(({ problem }) => problem ?? []),
    remaining: leftovers.filter(({ count }) => count > 0),
    finalizers,
  };
}

async function discoveryProblemOf(kinds: ControlParts["kinds"], signal: AbortSignal): Promise<string | undefined> {
  try {
    await kinds.refresh(signal);
  } catch (error) {
    if (error instanceof ApiError) return error.serverMessage;
    throw error;
  }
  const { failures } = kinds;
  if (failures.size === 0) return undefined;
  const list = [...failures]
    .map(([version, problem]) => `${version}: ${problem}`)
    .sort()
    .join(", ");
  return `Discovery failed for some groups, ${failures.size} failing: unable to retrieve the complete list of server APIs: ${list}`;
}

async function writeConditions(
  { client, clock, log }: ControlParts,
  namespace: Namespace,
  findings: Findings,
  signal: AbortSignal,
): Promise<void> {
  const before = namespace.status?.conditions ?? [];
  const conditions = namespaceConditions(before, findings, clock.now());
  if (conditions === before) return;
  try {
    const next = { ...namespace, status: { ...namespace.status, conditions } };
    await client.update(Namespace, next, { subresource: "status", fieldManager, signal });
  } catch (error) {
    // The next attempt writes them.
    if (!(error instanceof ApiError)) throw error;
    log.debug("Failed to update namespace conditions", { namespace: namespace.metadata.name, error });
  }
}

async function finalize(client: Client, key: string, signal: AbortSignal): Promise<void> {
  const latest = await client.get(Namespace, { name: key }, { signal });
  if (latest?.metadata.deletionTimestamp === undefined) return;
  const finalizers = (latest.spec?.finalizers ?? []).filter((token) => token !== finalizer);
  try {
    const next = { ...latest, spec: { ...latest.spec, finalizers } };
    await client.update(Namespace, next, { subresource: "finalize", fieldManager, signal });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}
