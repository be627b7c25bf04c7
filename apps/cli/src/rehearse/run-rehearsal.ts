import { setMaxListeners } from "node:events";
import { formatElapsedMs, type KubeObject, SeededRandom } from "@homeostat/core";
import type { ObjectChange, Outlook, SummaryLine, TimelineEntry } from "@homeostat/operator";
import { type ApplyParts, applyManifests, ensureNamespace, type Refusal } from "./apply-manifests.ts";
import { describeChange, fieldChanges } from "./field-changes.ts";
import { followObjects } from "./follow-objects.ts";
import type { Manifests } from "./manifests.ts";
import { objectEntry } from "./object-report.ts";
import type { Rehearsal, RehearsalDefinition, RehearsalOptions } from "./rehearsal.ts";
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
  /** Called with each remark about the input, such as a placeholder for a Secret. */
  readonly onNote: (text: string) => void;
  /** Called with each entry of the timeline when it happens. */
  readonly onEntry: (entry: TimelineEntry) => void;
  readonly signal: AbortSignal;
}

/** The end of a rehearsal. */
export interface RehearsalResult {
  readonly verdict: "finished" | "refused" | "failed" | "blocked" | "unfinished" | "interrupted";
  /** Virtual time from the change to its end. */
  readonly durationMs: number;
  /** Reasons for which the change is not finished. */
  readonly reasons: readonly string[];
  readonly refusals: readonly Refusal[];
  readonly summary: readonly SummaryLine[];
}

/** Virtual time for which a change must be settled before it counts as finished. */
const settleMs = 15_000;
/** Virtual time between two checks of the state. */
const stepMs = 500;

/** Runs a rehearsal: brings up the old objects, applies the new ones, and follows them to the end. */
export async function runRehearsal(options: RunRehearsalOptions): Promise<RehearsalResult> {
  const { definition, next, settings, times, faults, now, nodes } = options;
  const random = new SeededRandom(1);
  let run: Run | undefined;
  const { name } = next.primary.metadata;
  const onEntry = (entry: TimelineEntry): void => run?.report(entry);
  const rehearsal = definition.create({ name, random, settings, times, faults, onEntry });
  const { operator, operatorNamespace, model } = rehearsal;
  await using cluster = await startVirtualCluster({ now, nodes, model, random, operator, operatorNamespace, settings });
  const stopping = new AbortController();
  // One listener for each watch.
  setMaxListeners(0, stopping.signal);
  try {
    run = new Run(options, rehearsal, cluster);
    run.follow(stopping.signal);
    return await run.run();
  } finally {
    stopping.abort();
  }
}

class Run {
  readonly #options: RunRehearsalOptions;
  readonly #rehearsal: Rehearsal;
  readonly #cluster: VirtualCluster;
  readonly #namespace: string;
  /** Time of day at which the present part of the rehearsal began. */
  #originMs: number;
  #hasBegun = false;

  constructor(options: RunRehearsalOptions, rehearsal: Rehearsal, cluster: VirtualCluster) {
    this.#options = options;
    this.#rehearsal = rehearsal;
    this.#cluster = cluster;
    this.#namespace = options.next.primary.metadata.namespace ?? "default";
    this.#originMs = cluster.clock.now();
  }

  /** Reports an entry, unless it is about bringing up the old objects. */
  report(entry: TimelineEntry): void {
    if (this.#hasBegun) this.#options.onEntry(entry);
  }

  /** Follows the objects of the story, and reports changes of other objects. */
  follow(signal: AbortSignal): void {
    const { selector, story } = this.#rehearsal;
    const { reported, hidden } = this.#options.definition;
    const namespace = this.#namespace;
    const client = this.#cluster.client();
    const context = { clock: this.#cluster.clock, signal };
    for (const type of reported) {
      const onChange = (change: Omit<ObjectChange<KubeObject>, "atMs">): void => {
        const entry = objectEntry({ ...change, atMs: this.#atMs }, { kind: type.kind, hidden });
        if (entry !== undefined) this.report(entry);
      };
      void followObjects(client, { type, namespace, labelSelector: selector, onChange }, context);
    }
    story.follow({
      watch: (type, onChange) =>
        void followObjects(
          client,
          { type, namespace, onChange: (change) => onChange({ ...change, atMs: this.#atMs }) },
          context,
        ),
    });
  }

  async run(): Promise<RehearsalResult> {
    const { old, next, onNote } = this.#options;
    const { story } = this.#rehearsal;
    const parts: ApplyParts = { given: [], cluster: this.#cluster, rehearsal: this.#rehearsal, onNote };
    await ensureNamespace(this.#cluster, this.#namespace);
    this.#cluster.runOperator();
    if (old !== undefined) {
      const refusals = await applyManifests(parts, old);
      if (refusals.length > 0) return this.#refused(refusals);
      const outlook = await this.#untilEnd();
      if (outlook.type !== "settled" || this.#options.signal.aborted) return this.#resultOf(outlook, old.source);
      onNote(`Running with ${old.source} after ${formatElapsedMs(outlook.sinceMs)}: ${story.describe()}`);
    }
    const before = await this.#currentPrimary();
    this.#hasBegun = true;
    this.#originMs = this.#cluster.clock.now();
    this.#rehearsal.begin();
    const refusals = await applyManifests(parts, next, {
      onWarning: (text) => {
        story.warned(text);
        this.report({ atMs: this.#atMs, topic: "warning", text });
      },
      onAccepted: (accepted) => this.#reportChange(before, accepted),
    });
    if (refusals.length > 0) return this.#refused(refusals);
    const result = this.#resultOf(await this.#untilEnd(), undefined);
    for (const fault of this.#rehearsal.unusedFaults())
      onNote(`no container that started matches --never-ready ${fault}`);
    return result;
  }

  get #atMs(): number {
    return this.#cluster.clock.now() - this.#originMs;
  }

  async #currentPrimary(): Promise<KubeObject | undefined> {
    const { definition, next } = this.#options;
    const { name } = next.primary.metadata;
    return this.#cluster.settle(this.#cluster.client().get(definition.type, { namespace: this.#namespace, name }));
  }

  #reportChange(before: KubeObject | undefined, after: KubeObject): void {
    const { kind, metadata } = this.#options.next.primary;
    const text = `${kind} ${metadata.name}`;
    if (before === undefined) return this.report({ atMs: 0, topic: "create", text });
    const details = fieldChanges(before, after).flatMap(describeChange);
    this.report({ atMs: 0, topic: "update", text: details.length === 0 ? `${text}: no field changes` : text, details });
  }

  /** Advances the virtual clock until the change has ended, is blocked, or the time limit is reached. */
  async #untilEnd(): Promise<Outlook> {
    const { limitMs, signal } = this.#options;
    for (;;) {
      const limits = { now: this.#cluster.clock.now(), deadline: this.#originMs + limitMs };
      const outlook = this.#rehearsal.story.outlook(this.#atMs, limits);
      const isSettled = outlook.type === "settled" && this.#atMs - outlook.sinceMs >= settleMs;
      const isStuck = outlook.type === "blocked" || outlook.type === "failed";
      if (isSettled || isStuck || signal.aborted || this.#atMs >= limitMs) return outlook;
      await this.#cluster.advance(stepMs);
    }
  }

  /** Returns the result of the change or, with the name of its file, of bringing up the old objects. */
  #resultOf(outlook: Outlook, source: string | undefined): RehearsalResult {
    const { story } = this.#rehearsal;
    const summary = source === undefined ? story.summary(this.#atMs) : [];
    const end = { durationMs: this.#atMs, refusals: [], summary };
    const about = (reasons: readonly string[]): readonly string[] =>
      source === undefined ? reasons : reasons.map((reason) => `${source}: ${reason}`);
    if (this.#options.signal.aborted) return { ...end, verdict: "interrupted", reasons: [] };
    if (outlook.type === "settled") return { ...end, verdict: "finished", durationMs: outlook.sinceMs, reasons: [] };
    if (outlook.type === "busy") return { ...end, verdict: "unfinished", reasons: about(story.reasons()) };
    return { ...end, verdict: outlook.type, reasons: about(outlook.reasons) };
  }

  #refused(refusals: readonly Refusal[]): RehearsalResult {
    return { verdict: "refused", durationMs: this.#atMs, reasons: [], refusals, summary: [] };
  }
}
