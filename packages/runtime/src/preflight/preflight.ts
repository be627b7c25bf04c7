import type { Client, Discovery } from "@homeostat/client";
import { classify, type Clock, type Random } from "@homeostat/core";
import type { AccessRule } from "../controller/access.ts";
import { request } from "../election/request.ts";
import type { Prerequisites, Verdict } from "./prerequisites.ts";
import { missingKinds } from "./served-kinds.ts";

/** The methods of a client that {@link preflight} uses. */
export type PreflightClient = Pick<Client, "reviewOwnAccess" | "discover">;

/** Options of {@link preflight}. */
export interface PreflightOptions {
  readonly client: PreflightClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Maximum number of concurrent access reviews. Default: 8. */
  readonly concurrency?: number;
  /** Maximum number of attempts per request. Default: 3. */
  readonly attemptsMax?: number;
  /** Timeout of one request, in milliseconds. Default: 5,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Checks prerequisites against the API server, with one SelfSubjectAccessReview per verb and rule, and one discovery. The permissions of a
 * part with optional kinds are reviewed only while all its kinds are served.
 *
 * Resolves with one result per element, in the same order. Rejects only when the signal aborts. Changes nothing in the cluster.
 *
 * @example
 * const [result] = await preflight([{ name: "tenants", access: accessOf(tenants) }], { client, clock, random });
 */
export async function preflight(
  prerequisites: readonly Prerequisites[],
  options: PreflightOptions,
): Promise<readonly Verdict[]> {
  const { signal } = options;
  signal?.throwIfAborted();
  const required = prerequisites.map((need) => ({ ...need, access: need.access.filter(isRequired) }));
  // One listener on the caller's signal instead of one per request: Node warns of a leak at more than ten.
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await checkAll(required, { ...options, signal: stop.signal });
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/**
 * Reports whether a controller cannot work without a permission. The subresource `finalizers` is not served by the API server; only clusters with the
 * admission plugin OwnerReferencesPermissionEnforcement require permission to update it, when an owner reference is set.
 */
function isRequired({ subresource }: AccessRule): boolean {
  return subresource !== "finalizers";
}

async function checkAll(
  prerequisites: readonly Prerequisites[],
  options: PreflightOptions,
): Promise<readonly Verdict[]> {
  const results = new Map<string, Result<boolean>>();
  const discovery = withRetries(options, (signal) => options.client.discover({ signal }));
  await reviewAll(
    prerequisites.filter(({ areKindsOptional = false }) => !areKindsOptional),
    { ...options, results },
  );
  const found = await discovery;
  // Permissions for kinds that may stay missing are not reviewed until they are served: such a part is checked again and again.
  const isServed = (need: Prerequisites): boolean => "error" in found || missingKinds(need, found.value).length === 0;
  await reviewAll(
    prerequisites.filter((need) => need.areKindsOptional === true && isServed(need)),
    { ...options, results },
  );
  options.signal?.throwIfAborted();
  return prerequisites.map((need) => resultFor(need, results, found));
}

/** Sends the access reviews of prerequisites that have no result yet. */
async function reviewAll(
  prerequisites: readonly Prerequisites[],
  { results, ...options }: PreflightOptions & { readonly results: Map<string, Result<boolean>> },
): Promise<void> {
  const reviews = new Map<string, AccessReview>();
  for (const { access } of prerequisites)
    for (const rule of access)
      for (const review of reviewsOf(rule)) if (!results.has(review.key)) reviews.set(review.key, review);
  await inParallel([...reviews.values()], options.concurrency ?? 8, async ({ key, ...review }) => {
    results.set(
      key,
      await withRetries(
        options,
        async (signal) => (await options.client.reviewOwnAccess(review, { signal })).isAllowed,
      ),
    );
  });
}

/** An access review to send. Equal reviews have the same key and are sent once. */
interface AccessReview {
  readonly key: string;
  readonly verb: string;
  readonly type: { readonly group: string; readonly plural: string };
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

type Result<T> = { readonly value: T } | { readonly error: unknown };

function reviewsOf({ group, resource, subresource, namespace, names, verbs }: AccessRule): readonly AccessReview[] {
  const objectNames: readonly (string | undefined)[] = names ?? [undefined];
  return verbs.flatMap((verb) =>
    objectNames.map((name) => {
      const review = { verb, type: { group, plural: resource }, subresource, namespace, name };
      return { key: JSON.stringify(review), ...review };
    }),
  );
}

function resultFor(
  need: Prerequisites,
  results: ReadonlyMap<string, Result<boolean>>,
  discovery: Result<Discovery>,
): Verdict {
  const access: AccessRule[] = [];
  const errors: unknown[] = [];
  for (const rule of need.access) {
    const missing = new Set<string>();
    for (const { key, verb } of reviewsOf(rule)) {
      const result = results.get(key);
      if (result === undefined) continue;
      if ("error" in result) errors.push(result.error);
      else if (!result.value) missing.add(verb);
    }
    if (missing.size > 0) access.push({ ...rule, verbs: [...missing] });
  }
  if ("error" in discovery) errors.push(discovery.error);
  const kinds = "value" in discovery ? missingKinds(need, discovery.value) : [];
  // A missing prerequisite counts even if other checks failed.
  if (access.length > 0 || kinds.length > 0) return { is: "unmet", access, kinds };
  return errors.length > 0 ? { is: "unknown", error: errors[0] } : { is: "met" };
}

/** Sends a request, with retries unless the error is terminal. */
async function withRetries<T>(
  options: PreflightOptions,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<Result<T>> {
  const { clock, random, signal, attemptsMax = 3, timeoutMs = 5_000 } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { value: await request({ clock, timeoutMs, signal }, send) };
    } catch (error) {
      if (attempt >= attemptsMax || classify(error) === "terminal" || signal?.aborted === true) return { error };
      await clock.sleep(500 * 2 ** attempt * (0.5 + 0.5 * random.next()), signal).catch(() => undefined);
    }
  }
}

/** Processes all items with limited concurrency. */
async function inParallel<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
