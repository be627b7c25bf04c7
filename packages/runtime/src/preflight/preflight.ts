import type { Client, Discovery } from "@homeostat/client";
import { classify, type Clock, type Random } from "@homeostat/core";
import type { AccessRule } from "../controller/access.ts";
import { request } from "../election/request.ts";
import type { Need, Verdict } from "./need.ts";
import { missingKinds } from "./served-kinds.ts";

/** The part of a client that a preflight asks with. */
export type PreflightClient = Pick<Client, "reviewOwnAccess" | "discover">;

/** Options of {@link preflight}. */
export interface PreflightOptions {
  readonly client: PreflightClient;
  readonly clock: Clock;
  readonly random: Random;
  /** How many questions may be under way at once. Default: 8. */
  readonly concurrency?: number;
  /** How often a question is asked that gets no answer. Default: 3. */
  readonly triesMax?: number;
  /** How long to wait for one answer. Default: 5,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks the server whether needs are met: an access review for every verb of every rule, each once, and one discovery.
 *
 * Resolves with a verdict for each need, in their order. Rejects only when the signal aborts. Asking changes nothing.
 *
 * @example
 * const [verdict] = await preflight([{ name: "tenants", access: accessOf(tenants) }], { client, clock, random });
 */
export async function preflight(needs: readonly Need[], options: PreflightOptions): Promise<readonly Verdict[]> {
  const { signal } = options;
  signal?.throwIfAborted();
  const asked = needs.map((need) => ({ ...need, access: need.access.filter(isRequired) }));
  // One listener on the signal of the caller, however many questions are under way.
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await askAll(asked, { ...options, signal: stop.signal });
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/**
 * Reports whether a controller cannot work without a right. `finalizers` is no subresource that is served: clusters with the admission plugin
 * OwnerReferencesPermissionEnforcement ask for the right to update it when an owner reference is set, all others do not.
 */
function isRequired({ subresource }: AccessRule): boolean {
  return subresource !== "finalizers";
}

async function askAll(needs: readonly Need[], options: PreflightOptions): Promise<readonly Verdict[]> {
  const questions = new Map<string, Question>();
  for (const { access } of needs)
    for (const rule of access) for (const question of questionsOf(rule)) questions.set(question.key, question);
  const answers = new Map<string, Answer<boolean>>();
  const discovery = patiently(options, (signal) => options.client.discover({ signal }));
  await inParallel([...questions.values()], options.concurrency ?? 8, async ({ key, ...question }) => {
    answers.set(
      key,
      await patiently(
        options,
        async (signal) => (await options.client.reviewOwnAccess(question, { signal })).isAllowed,
      ),
    );
  });
  const found = await discovery;
  options.signal?.throwIfAborted();
  return needs.map((need) => verdictOn(need, answers, found));
}

/** Something to ask, and a text that is the same for the same question. */
interface Question {
  readonly key: string;
  readonly verb: string;
  readonly type: { readonly group: string; readonly plural: string };
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

type Answer<T> = { readonly value: T } | { readonly error: unknown };

function questionsOf({ group, resource, subresource, namespace, names, verbs }: AccessRule): readonly Question[] {
  const places: readonly (string | undefined)[] = names ?? [undefined];
  return verbs.flatMap((verb) =>
    places.map((name) => {
      const asked = { verb, type: { group, plural: resource }, subresource, namespace, name };
      return { key: JSON.stringify(asked), ...asked };
    }),
  );
}

function verdictOn(need: Need, answers: ReadonlyMap<string, Answer<boolean>>, discovery: Answer<Discovery>): Verdict {
  const access: AccessRule[] = [];
  const errors: unknown[] = [];
  for (const rule of need.access) {
    const missing = new Set<string>();
    for (const { key, verb } of questionsOf(rule)) {
      const answer = answers.get(key);
      if (answer === undefined) continue;
      if ("error" in answer) errors.push(answer.error);
      else if (!answer.value) missing.add(verb);
    }
    if (missing.size > 0) access.push({ ...rule, verbs: [...missing] });
  }
  if ("error" in discovery) errors.push(discovery.error);
  const kinds = "value" in discovery ? missingKinds(need, discovery.value) : [];
  // What is known to be missing is missing, whatever else could not be asked.
  if (access.length > 0 || kinds.length > 0) return { is: "unmet", access, kinds };
  return errors.length > 0 ? { is: "unknown", error: errors[0] } : { is: "met" };
}

/** The answer to a question, asked again a few times when there is none. */
async function patiently<T>(options: PreflightOptions, ask: (signal: AbortSignal) => Promise<T>): Promise<Answer<T>> {
  const { clock, random, signal, triesMax = 3, timeoutMs = 5_000 } = options;
  for (let tries = 1; ; tries += 1) {
    try {
      return { value: await request({ clock, timeoutMs, signal }, ask) };
    } catch (error) {
      if (tries >= triesMax || classify(error) === "terminal" || signal?.aborted === true) return { error };
      await clock.sleep(500 * 2 ** tries * (0.5 + 0.5 * random.next()), signal).catch(() => undefined);
    }
  }
}

/** Does some work for every item, for a limited number of them at a time. */
async function inParallel<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
