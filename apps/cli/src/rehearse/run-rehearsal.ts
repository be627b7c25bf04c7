import { setMaxListeners } from "node:events";
import type { Client } from "@homeostat/client";
import { ApiError, type KubeObject, SeededRandom } from "@homeostat/core";
import { Namespace, Node } from "@homeostat/kubernetes/core/v1";
import { followObjects } from "./follow-objects.ts";
import type { Manifest, Manifests } from "./manifests.ts";
import { describeChange, fieldChanges } from "./field-changes.ts";
import { objectEntry } from "./object-report.ts";
import type {
  Outlook,
  Rehearsal,
  RehearsalDefinition,
  RehearsalOptions,
  SummaryLine,
  TimelineEntry,
} from "./rehearsal.ts";
import { startVirtualCluster, type VirtualCluster } from "./virtual-cluster.ts";

/** Options of {@link runRehearsal}. */
export interface RunRehearsalOptions extends Pick<RehearsalOptions, "settings" | "times" | "faults"> {
  readonly definition: RehearsalDefinition;
  /** The present objects; undefined to rehearse a creation. */
  readonly old: Manifests | undefined;
  readonly next: Manifests;
  /** Time at which the rehearsal starts, in milliseconds since the epoch. */
  readonly now: number;
  readonly nodes: number;
  /** Virtual time after which the rehearsal ends. */
  readonly limitMs: number;
  /** Called with each remark about the input, such as a made-up Secret. */
  readonly onNote: (text: string) => void;
  /** Called with each entry of the timeline when it happens. */
  readonly onEntry: (entry: TimelineEntry) => void;
  readonly signal: AbortSignal;
}

/** A problem for which the API server refused an object. */
export interface Refusal {
  readonly source: string;
  /** Empty if the problem is about the whole object. */
  readonly field: string;
  readonly message: string;
}

/** The end of a rehearsal. */
export interface RehearsalResult {
  readonly verdict: "finished" | "refused" | "failed" | "blocked" | "unfinished" | "interrupted";
  /** Virtual time from the change to its end. */
  readonly durationMs: number;
  /** Why the change is not finished. */
  readonly reasons: readonly string[];
  readonly refusals: readonly Refusal[];
  readonly summary: readonly SummaryLine[];
}

/** Virtual time for which everything must be done before the change counts as finished. */
const settleMs = 15_000;
const stepMs = 500;

/** Runs a rehearsal: brings up the old objects, applies the new ones, and follows them to the end. */
export async function runRehearsal(options: RunRehearsalOptions): Promise<RehearsalResult> {
  const { definition, old, next, settings, times, faults, now, nodes, onNote, onEntry, signal } = options;
  const random = new SeededRandom(1);
  let hasBegun = false;
  const report = (entry: TimelineEntry): void => {
    if (hasBegun) onEntry(entry);
  };
  const { name, namespace = "default" } = next.primary.metadata;
  const rehearsal = definition.create({ name, random, settings, times, faults, onEntry: report });
  const { operator, operatorNamespace, model } = rehearsal;
  await using cluster = await startVirtualCluster({ now, nodes, model, random, operator, operatorNamespace, settings });
  const { clock } = cluster;
  let originMs = clock.now();
  const atMs = (): number => clock.now() - originMs;
  const stopping = new AbortController();
  // One listener for each watch.
  setMaxListeners(0, stopping.signal);
  using _stop = { [Symbol.dispose]: () => stopping.abort() };
  follow({ rehearsal, definition, cluster, namespace, atMs, report, signal: stopping.signal });

  const until = async (): Promise<{ readonly outlook: Outlook; readonly isOver: boolean }> => {
    for (;;) {
      const outlook = rehearsal.story.outlook(atMs(), { now: clock.now(), deadline: originMs + options.limitMs });
      const isSettled = outlook.type === "settled" && atMs() - outlook.sinceMs >= settleMs;
      const isOver = signal.aborted || atMs() >= options.limitMs;
      if (isSettled || outlook.type === "blocked" || outlook.type === "failed" || isOver) return { outlook, isOver };
      await cluster.advance(stepMs);
    }
  };
  const resultOf = (outlook: Outlook, source: string | undefined): RehearsalResult => {
    const summary = source === undefined ? rehearsal.story.summary(atMs()) : [];
    const end = { durationMs: atMs(), refusals: [], summary };
    const about = (reasons: readonly string[]): readonly string[] =>
      source === undefined ? reasons : reasons.map((reason) => `${source}: ${reason}`);
    if (signal.aborted) return { ...end, verdict: "interrupted", reasons: [] };
    if (outlook.type === "settled") return { ...end, verdict: "finished", durationMs: outlook.sinceMs, reasons: [] };
    if (outlook.type === "busy") return { ...end, verdict: "unfinished", reasons: about(rehearsal.story.reasons()) };
    return { ...end, verdict: outlook.type, reasons: about(outlook.reasons) };
  };
  const refused = (refusals: readonly Refusal[]): RehearsalResult => ({
    verdict: "refused",
    durationMs: atMs(),
    reasons: [],
    refusals,
    summary: [],
  });
  const parts: ApplyParts = { given: [], cluster, rehearsal, onNote };
  const current = async (): Promise<KubeObject | undefined> =>
    cluster.settle(cluster.client().get(definition.type, { namespace, name }));

  await ensureNamespace(cluster, namespace);
  cluster.runOperator();
  if (old !== undefined) {
    const applied = await applyManifests(parts, old, () => undefined);
    if ("refusals" in applied) return refused(applied.refusals);
    const { outlook } = await until();
    if (outlook.type !== "settled") return resultOf(outlook, old.source);
    onNote(`Running with ${old.source} after ${Math.round(outlook.sinceMs / 1_000)}s: ${rehearsal.story.describe()}`);
  }
  const before = await current();
  hasBegun = true;
  originMs = clock.now();
  rehearsal.begin();
  const warn = (text: string): void => {
    rehearsal.story.warned(text);
    report({ atMs: atMs(), topic: "warning", text });
  };
  const applied = await applyManifests(parts, next, warn);
  if ("refusals" in applied) return refused(applied.refusals);
  const details = before === undefined ? [] : fieldChanges(before, applied.primary).flatMap(describeChange);
  const verb = before === undefined ? "create" : "update";
  const isSame = before !== undefined && details.length === 0;
  report({ atMs: 0, topic: verb, text: `${next.primary.kind} ${name}${isSame ? ": no field changes" : ""}`, details });
  const { outlook } = await until();
  return resultOf(outlook, undefined);
}

/** Follows the objects of the story, and reports changes of other objects. */
function follow({
  rehearsal,
  definition,
  cluster,
  namespace,
  atMs,
  report,
  signal,
}: {
  readonly rehearsal: Rehearsal;
  readonly definition: RehearsalDefinition;
  readonly cluster: VirtualCluster;
  readonly namespace: string;
  readonly atMs: () => number;
  readonly report: (entry: TimelineEntry) => void;
  readonly signal: AbortSignal;
}): void {
  const client = cluster.client();
  const context = { clock: cluster.clock, signal };
  for (const type of definition.reported)
    void followObjects(
      client,
      {
        type,
        namespace,
        labelSelector: rehearsal.selector,
        onChange: (change) => {
          const entry = objectEntry({ ...change, atMs: atMs() }, { kind: type.kind, hidden: definition.hidden });
          if (entry !== undefined) report(entry);
        },
      },
      context,
    );
  rehearsal.story.follow({
    watch: (type, onChange) =>
      void followObjects(
        client,
        { type, namespace, onChange: (change) => onChange({ ...change, atMs: atMs() }) },
        context,
      ),
  });
}

interface ApplyParts {
  /** Objects that were applied so far, except for primary ones. */
  readonly given: KubeObject[];
  readonly cluster: VirtualCluster;
  readonly rehearsal: Rehearsal;
  readonly onNote: (text: string) => void;
}

const fieldManager = "kubectl";

/** Applies the objects of a file, with made-up ones for those that the primary object refers to and that do not exist. */
async function applyManifests(
  parts: ApplyParts,
  { source, primary, others }: Manifests,
  onWarning: (text: string) => void,
): Promise<{ readonly primary: KubeObject } | { readonly refusals: readonly Refusal[] }> {
  const { cluster, rehearsal, onNote } = parts;
  const quiet = cluster.client();
  const write = async (
    client: Client,
    manifest: Manifest,
    { dryRun = false } = {},
  ): Promise<KubeObject | readonly Refusal[]> => {
    const object = await cluster.adapted(manifest);
    const type = await cluster.typeOf(object);
    try {
      const options = { fieldManager, force: true, fieldValidation: "Strict", dryRun } as const;
      return await cluster.settle(client.apply(type, object, options));
    } catch (error) {
      if (error instanceof ApiError) return refusalsOf(error, `${source}: ${manifest.kind} ${manifest.metadata.name}`);
      throw error;
    }
  };
  const refusals: Refusal[] = [];
  for (const manifest of others) {
    const written = await write(quiet, manifest);
    if (isList(written)) refusals.push(...written);
    else parts.given.push(written);
  }
  // Objects are made up before the primary object is written, so that the operator never sees it without them.
  const accepted = await write(quiet, primary, { dryRun: true });
  if (isList(accepted)) refusals.push(...accepted);
  if (isList(accepted) || refusals.length > 0) return { refusals };
  for (const { object, note } of rehearsal.madeUp(accepted, parts.given)) {
    const made = await write(quiet, { ...object, metadata: { ...object.metadata, name: object.metadata.name ?? "" } });
    if (isList(made)) return { refusals: made };
    parts.given.push(made);
    onNote(note);
  }
  await labelNodes(parts, rehearsal.nodeLabels(accepted));
  const written = await write(cluster.client(onWarning), primary);
  return isList(written) ? { refusals: written } : { primary: written };
}

function refusalsOf({ causes, serverMessage, message }: ApiError, source: string): readonly Refusal[] {
  if (causes.length === 0) return [{ source, field: "", message: serverMessage || message }];
  return causes.map(({ field = "", message: problem = "" }) => ({ source, field, message: problem }));
}

function isList(value: KubeObject | readonly Refusal[]): value is readonly Refusal[] {
  return Array.isArray(value);
}

/** Gives all nodes the labels that pods select. */
async function labelNodes({ cluster, onNote }: ApplyParts, labels: Readonly<Record<string, string>>): Promise<void> {
  const names = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  if (names.length === 0) return;
  const client = cluster.client();
  const { items } = await cluster.settle(client.list(Node));
  for (const { metadata } of items)
    await cluster.settle(client.patch(Node, { name: metadata.name ?? "" }, { merge: { metadata: { labels } } }));
  onNote(`all simulated nodes have the labels ${names.join(", ")}, which the pods select`);
}

async function ensureNamespace(cluster: VirtualCluster, name: string): Promise<void> {
  const metadata = { name };
  await cluster.settle(
    cluster.client().apply(Namespace, { apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager }),
  );
}
