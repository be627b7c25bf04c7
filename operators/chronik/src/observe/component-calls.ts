// Calls of the component contract. A reconcile calls members only if a decision needs their responses: a restart, a change of the members, or the
// quorum that the status shows, which may be a minute old.

import type { Clock } from "@homeostat/core";
import { nodeId } from "../api/names.ts";
import type { ComponentClient, ComponentTarget } from "../component/client.ts";
import type { ComponentResult, QuorumView } from "../component/contract.ts";
import type { Observed, ObservedMember, ObservedTier } from "./observed.ts";

/** Age of the responses about the quorum that a settled cluster may show. */
const quorumAgeMaxMs = 55_000;

/** Most calls at the same time. */
const parallelMax = 16;

/** Input of {@link ComponentCalls.call}. */
export interface CallInput {
  /** UID of the cluster. */
  readonly uid: string;
  readonly observed: Observed;
  readonly desired: { readonly controller: number; readonly ingest: number };
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
}

interface KnownQuorum {
  readonly at: number;
  /** Responses by UID of the pod. */
  readonly results: ReadonlyMap<string, ComponentResult<QuorumView>>;
}

/** Calls components, and remembers the last responses about the quorum of each cluster. */
export class ComponentCalls {
  readonly #client: ComponentClient;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #quorums = new Map<string, KnownQuorum>();

  constructor(client: ComponentClient, clock: Pick<Clock, "monotonic">) {
    this.#client = client;
    this.#clock = clock;
  }

  get client(): ComponentClient {
    return this.#client;
  }

  /** Returns the observed state with the responses that decisions need. */
  async call(input: CallInput): Promise<Observed> {
    const { observed } = input;
    const isSettled = isSettledCluster(input);
    const [controllers, ingest] = await Promise.all([
      this.#callControllers(input, isSettled),
      isSettled ? observed.ingest.members : this.#callIngest(input),
    ]);
    return {
      ...observed,
      controller: { ...observed.controller, members: controllers },
      ingest: { ...observed.ingest, members: ingest },
    };
  }

  /** Forgets a deleted cluster. */
  forget(uid: string): void {
    this.#quorums.delete(uid);
  }

  async #callControllers(input: CallInput, isSettled: boolean): Promise<readonly ObservedMember[]> {
    const { members } = input.observed.controller;
    const known = this.#quorums.get(input.uid);
    const now = this.#clock.monotonic();
    const isRecent = known !== undefined && now - known.at < quorumAgeMaxMs;
    const isReused = isSettled && isRecent && isConclusive(members, known.results);
    const results = isReused ? known.results : await this.#readQuorum(input, isSettled);
    if (!isReused) this.#quorums.set(input.uid, { at: now, results });
    return members.map((member) => ({
      ...member,
      component: { ...member.component, quorum: results.get(member.uid) },
    }));
  }

  /**
   * Reads the quorum from the controllers.
   *
   * A settled cluster needs the responses for its status alone. There, a call that failed is repeated once: on a busy node single calls time out, and
   * each of them would change the status, and a minute later change it back.
   */
  async #readQuorum(input: CallInput, isSettled: boolean): Promise<ReadonlyMap<string, ComponentResult<QuorumView>>> {
    const { members } = input.observed.controller;
    const read = (target: ComponentTarget): Promise<ComponentResult<QuorumView>> =>
      this.#client.quorum(target, input.signal);
    const results = await inParallel(members, input, read);
    const failed = members.filter(({ uid }) => hasFailed(results.get(uid)));
    if (!isSettled || failed.length === 0) return results;
    return new Map([...results, ...(await inParallel(failed, input, read))]);
  }

  async #callIngest(input: CallInput): Promise<readonly ObservedMember[]> {
    const { ingest, previous } = input.observed;
    const { set, members } = ingest;
    const isShrinking = set !== undefined && input.desired.ingest < set.replicas;
    const drained = members.filter(
      ({ ordinal, podName }) =>
        (isShrinking && ordinal === set.replicas - 1) || podName === previous.scaleDown.ingest?.podName,
    );
    const checked = members.filter(
      (member) => isOutdated(member, ingest) || member.podName === previous.lastRestart?.podName,
    );
    const [drains, checks] = await Promise.all([
      inParallel(drained, input, (target) => this.#client.drain(target, input.signal)),
      inParallel(checked, input, (target) => this.#client.restartCheck(target, input.signal)),
    ]);
    return members.map((member) => ({
      ...member,
      component: { drain: drains.get(member.uid), restartCheck: checks.get(member.uid) },
    }));
  }
}

/** Reports whether a call failed to get a response. */
function hasFailed(result: ComponentResult<unknown> | undefined): boolean {
  return result?.type === "timeout" || result?.type === "unreachable";
}

/**
 * Reports whether remembered responses can stand for new ones: every member has responded, or does not offer the endpoint. A failed call must not be
 * remembered, or the status would show the failure for another minute.
 */
function isConclusive(
  members: readonly ObservedMember[],
  results: ReadonlyMap<string, ComponentResult<QuorumView>>,
): boolean {
  return members.every(({ uid }) => {
    const result = results.get(uid);
    return result !== undefined && !hasFailed(result);
  });
}

/** Returns the address of a member; undefined until it has one. */
export function targetOf({ ip, ordinal }: ObservedMember, apiKey: string | undefined): ComponentTarget | undefined {
  return ip === undefined ? undefined : { ip, nodeId: nodeId(ordinal), apiKey };
}

/** Calls members, a limited number at a time. Members without an address get no result. */
async function inParallel<T>(
  members: readonly ObservedMember[],
  { apiKey }: Pick<CallInput, "apiKey">,
  call: (target: ComponentTarget) => Promise<ComponentResult<T>>,
): Promise<ReadonlyMap<string, ComponentResult<T>>> {
  const results = new Map<string, ComponentResult<T>>();
  for (let start = 0; start < members.length; start += parallelMax) {
    const part = members.slice(start, start + parallelMax);
    await Promise.all(
      part.map(async (member) => {
        const target = targetOf(member, apiKey);
        if (target !== undefined) results.set(member.uid, await call(target));
      }),
    );
  }
  return results;
}

function isOutdated({ revision, isRestartRequested }: ObservedMember, { set }: ObservedTier): boolean {
  return isRestartRequested || revision !== set?.updateRevision;
}

/** Reports whether nothing is about to restart, to scale or to be rebuilt, so that no decision needs new responses. */
function isSettledCluster({ observed, desired }: CallInput): boolean {
  const { previous, claims } = observed;
  if (previous.phase !== "Running" || Object.keys(previous.scaleDown).length > 0) return false;
  if (claims.some(({ fileSystemResizeSince }) => fileSystemResizeSince !== undefined)) return false;
  return (["controller", "ingest"] as const).every((component) => {
    const { set, members } = observed[component];
    if (set === undefined || set.observedGeneration < set.generation || set.replicas !== desired[component])
      return false;
    return (
      members.length === set.replicas &&
      members.every(
        (member) =>
          member.readySince !== undefined && !member.isRebuildRequested && !isOutdated(member, observed[component]),
      )
    );
  });
}
