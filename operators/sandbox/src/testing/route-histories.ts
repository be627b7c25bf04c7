// Random histories of sandboxes, groups, local workloads and Services. After every step, the incremental compiler must agree with the
// full compilation and with the rules applied one by one.

import assert from "node:assert/strict";
import { SeededRandom } from "@homeostat/fuzz";
import { compileAll, type CompiledRoutes } from "../routes/compile-all.ts";
import { RouteCompiler, type RouteChange } from "../routes/compiler.ts";
import type { MatchNode } from "../routes/match.ts";
import type { EntryView, LocalWorkloadView, RouteGroupView, SandboxView, ServiceView } from "../routes/views.ts";
import { expectedEntries, type OracleViews } from "./route-oracle.ts";
import { aGroup, anEntry, anOverride, aRoute, aSandbox, aService, aWorkload } from "./route-views.ts";

// Small sets of names, keys, labels and times, so objects meet often.
const namespaces = ["shop", "bank"];
const sandboxNames = ["s1", "s2", "s3", "s4"];
const groupNames = ["g1", "g2", "g3"];
const serviceNames = ["cart", "web", "pay"];
const workloadNames = ["w1", "w2"];
const keys = Array.from({ length: 14 }, (_, i) => `k${i}`);
const times = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"];

/** Changes before the first comparison. */
const startChangesMin = 12;
const startChangesMax = 32;
/** Limits that some histories reach: an entry has about 200 bytes. */
const smallLimits = { bytesMax: 700, entriesMax: 2 };

/** Counts of what histories produced, so a test can check that they reach all cases. */
export interface HistoryCounts {
  steps: number;
  tables: number;
  explicitEntries: number;
  conflicts: number;
  refusedGroups: number;
  refusedTables: number;
  lostKeys: number;
}

/** Runs histories with the seeds from `from` on. Throws with the seed of the first one whose results differ. */
export function checkHistories(from: number, count: number, steps = 8): HistoryCounts {
  const counts = {
    steps: 0,
    tables: 0,
    explicitEntries: 0,
    conflicts: 0,
    refusedGroups: 0,
    refusedTables: 0,
    lostKeys: 0,
  };
  for (let seed = from; seed < from + count; seed += 1) {
    try {
      checkHistory(seed, steps, counts);
    } catch (error) {
      throw new Error(`the history with seed ${seed} failed: ${String(error)}`, { cause: error });
    }
  }
  return counts;
}

function checkHistory(seed: number, steps: number, counts: HistoryCounts): void {
  const random = new SeededRandom(seed + 1);
  const limits = random.int(4) === 0 ? smallLimits : undefined;
  const compiler = new RouteCompiler(limits);
  const world = new World(random);
  const start = startChangesMin + random.int(startChangesMax - startChangesMin);
  for (let i = 0; i < start; i += 1) compiler.apply(world.step());
  compiler.compile();
  for (let step = 0; step < steps; step += 1) {
    const before = new Map(compiler.snapshot().tables);
    for (let changes = 1 + random.int(2); changes > 0; changes -= 1) compiler.apply(world.step());
    const changed = new Set(compiler.compile().tables.map(({ key }) => key));

    const incremental = compiler.snapshot();
    const views = world.views();
    const full = compileAll(views, limits);
    assert.equal(textOf(incremental), textOf(full), "incremental and full results differ");
    if (limits === undefined) assert.equal(linesOf(entriesOf(full)), linesOf(expectedEntries(views)));
    checkReported(before, incremental, changed);
    count(counts, full);
  }
}

/** Checks that a compilation reports exactly the tables whose content changed. */
function checkReported(before: CompiledRoutes["tables"], after: CompiledRoutes, changed: ReadonlySet<string>): void {
  for (const key of new Set([...before.keys(), ...after.tables.keys()])) {
    const isChanged = JSON.stringify(before.get(key)?.table) !== JSON.stringify(after.tables.get(key)?.table);
    if (isChanged) assert.ok(changed.has(key), `the change of ${key} was not reported`);
    if (changed.has(key)) assert.ok(isChanged || after.tables.get(key)?.isRefused !== before.get(key)?.isRefused, key);
  }
}

function textOf({ tables, groups, sandboxes }: CompiledRoutes): string {
  return JSON.stringify([[...tables], [...groups], [...sandboxes]]);
}

function linesOf(entries: ReadonlyMap<string, readonly string[]>): string {
  return [...entries]
    .map(([key, each]) => `${key}: ${each.join(", ")}\n`)
    .sort()
    .join("");
}

function entriesOf({ tables }: CompiledRoutes): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [key, { table }] of tables) {
    const entries = (table?.entries ?? []).map(
      ({ routingKey, source, routeGroup = "-", sandbox, workload }) =>
        `${routingKey} ${source} ${routeGroup} ${sandbox}/${workload}`,
    );
    if (entries.length > 0) found.set(key, entries);
  }
  return found;
}

function count(counts: HistoryCounts, { tables, sandboxes, groups }: CompiledRoutes): void {
  counts.steps += 1;
  counts.tables += tables.size;
  for (const { table, conflicts, refusedGroups, isRefused } of tables.values()) {
    counts.explicitEntries += (table?.entries ?? []).filter(({ source }) => source === "Explicit").length;
    counts.conflicts += conflicts.length;
    counts.refusedGroups += refusedGroups.length;
    counts.refusedTables += isRefused ? 1 : 0;
  }
  for (const { ownsKey } of [...sandboxes.values(), ...groups.values()]) counts.lostKeys += ownsKey ? 0 : 1;
}

/** Objects of one history and their random changes. */
class World {
  readonly #random: SeededRandom;
  readonly #sandboxes = new Map<string, SandboxView>();
  readonly #groups = new Map<string, RouteGroupView>();
  readonly #workloads = new Map<string, LocalWorkloadView>();
  readonly #services = new Map<string, ServiceView>();
  #uid = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  views(): OracleViews {
    return {
      sandboxes: [...this.#sandboxes.values()],
      groups: [...this.#groups.values()],
      workloads: [...this.#workloads.values()],
      services: [...this.#services.values()],
    };
  }

  /** Creates, updates, replaces or deletes one object. */
  step(): RouteChange {
    const namespace = this.#pick(namespaces);
    const chance = this.#random.int(12);
    if (chance < 5) {
      const key = `${namespace}/${this.#pick(sandboxNames)}`;
      const view = this.#next(this.#sandboxes, key, (known) => this.#sandbox(key, known));
      return { kind: "Sandbox", key, view };
    }
    if (chance < 8) {
      const key = `${namespace}/${this.#pick(groupNames)}`;
      const view = this.#next(this.#groups, key, (known) => this.#group(key, known));
      return { kind: "RouteGroup", key, view };
    }
    if (chance < 9) {
      const key = `${namespace}/${this.#pick(workloadNames)}`;
      const view = this.#next(this.#workloads, key, (known) => this.#workload(key, known));
      return { kind: "LocalWorkload", key, view };
    }
    const key = `${namespace}/${this.#pick(serviceNames)}`;
    const view = this.#next(this.#services, key, () => this.#service(key));
    return { kind: "Service", key, view };
  }

  #next<T>(views: Map<string, T>, key: string, make: (known: T | undefined) => T): T | undefined {
    const known = views.get(key);
    if (known !== undefined && this.#random.int(6) === 0) {
      views.delete(key);
      return undefined;
    }
    const view = make(known);
    views.set(key, view);
    return view;
  }

  #sandbox(key: string, known: SandboxView | undefined): SandboxView {
    const [namespace = "", name = ""] = key.split("/");
    const labels = { team: this.#pick(["a", "b", "c"]), feature: this.#pick(["x1", "x2", "y1"]) };
    return aSandbox(name, {
      namespace,
      ...this.#identity(known),
      metadataLabels: this.#random.int(2) === 0 ? { team: "a" } : {},
      specLabels: this.#random.int(4) === 0 ? {} : labels,
      routingKey: known?.routingKey ?? (this.#random.int(8) === 0 ? undefined : this.#pick(keys)),
      priority: this.#random.int(5) === 0 ? 1 : 0,
      isDeleting: this.#random.int(12) === 0,
      isSuspended: this.#random.int(12) === 0,
      entries: Array.from({ length: this.#random.int(4) }, (_, i) => this.#entry(namespace, name, `e${i}`)),
    });
  }

  #entry(namespace: string, sandbox: string, name: string): EntryView {
    const mode = this.#pick(["Fork", "Fork", "Fork", "Virtual", "Local"] as const);
    const service = this.#pick(serviceNames);
    // A policy may allow a sandbox to override Services of another namespace.
    const at = this.#random.int(6) === 0 ? this.#pick(namespaces) : namespace;
    const fork = mode === "Fork" ? { fork: `${sandbox}-${service}` } : {};
    const ports = this.#pick([[80], [80], [80, 81], [81], []]);
    return anEntry(name, { mode, overrides: [anOverride(service, { namespace: at, ports, ...fork })] });
  }

  #group(key: string, known: RouteGroupView | undefined): RouteGroupView {
    const [namespace = "", name = ""] = key.split("/");
    return aGroup(name, {
      namespace,
      ...this.#identity(known),
      match: this.#random.int(8) === 0 ? undefined : this.#match(3),
      selector: this.#random.int(4) === 0 ? { matchLabels: { tier: "front" } } : undefined,
      routingKey: known?.routingKey ?? (this.#random.int(8) === 0 ? undefined : this.#pick(keys)),
      routes: Array.from({ length: this.#random.int(3) }, () => this.#route()),
      conflictPolicy: this.#pick(["Oldest", "Newest", "Reject"] as const),
      isDeleting: this.#random.int(12) === 0,
    });
  }

  #route(): RouteGroupView["routes"][number] {
    return aRoute(this.#pick(sandboxNames), {
      routingKey: this.#random.int(3) === 0 ? this.#pick(keys) : undefined,
      entries: this.#random.int(3) === 0 ? [this.#pick(["e0", "e1", "cart"])] : undefined,
      match: this.#random.int(2) === 0 ? { paths: [{ prefix: "/api" }] } : undefined,
      percent: this.#pick([100, 100, 50, 0]),
      additionalHeaders: this.#random.int(3) === 0 ? { "x-b": "2", "x-a": "1" } : {},
    });
  }

  #match(depth: number): MatchNode {
    const kind = this.#random.int(depth === 0 ? 3 : 6);
    const parts = (): MatchNode[] => Array.from({ length: this.#random.int(3) }, () => this.#match(depth - 1));
    if (kind === 0) return { label: { key: "team", value: this.#pick(["a", "b", "*", "[ab]"]) } };
    if (kind === 1) return { label: { key: "feature", value: this.#pick(["x*", "x1", "?1", "y1"]) } };
    if (kind === 2) return { selector: this.#pick(selectors) };
    return kind === 3 ? { all: parts() } : { any: parts() };
  }

  #workload(key: string, known: LocalWorkloadView | undefined): LocalWorkloadView {
    const [namespace = "", name = ""] = key.split("/");
    return aWorkload(name, {
      namespace,
      ...this.#identity(known),
      sandbox: known?.sandbox ?? this.#pick(sandboxNames),
      serves: this.#pick(serviceNames),
      isRouted: this.#random.int(4) !== 0,
      isDeleting: this.#random.int(8) === 0,
    });
  }

  #service(key: string): ServiceView {
    const [namespace = "", name = ""] = key.split("/");
    const ports = this.#pick([[80], [80], [80, 81]]);
    return aService(name, {
      namespace,
      labels: this.#random.int(2) === 0 ? { tier: "front" } : {},
      ports: ports.map((port) => ({ port, name: `p${port}`, appProtocol: undefined })),
      interception: this.#pick(["Takeover", "Sidecar", "Mesh"] as const),
    });
  }

  /** Keeps the identity of an object, or gives it a new one: it was deleted and created again between two events. */
  #identity(known: { readonly uid: string; readonly createdAt: string } | undefined) {
    if (known !== undefined && this.#random.int(8) !== 0) return { uid: known.uid, createdAt: known.createdAt };
    this.#uid += 1;
    return { uid: `uid-${this.#uid}`, createdAt: this.#pick(times) };
  }

  #pick<T>(items: readonly T[]): T {
    return this.#random.pick(items);
  }
}

const selectors = [
  {},
  { matchLabels: { team: "a" } },
  { matchExpressions: [{ key: "team", operator: "In", values: ["a", "b"] }] },
  { matchExpressions: [{ key: "feature", operator: "Exists" }] },
  { matchExpressions: [{ key: "team", operator: "NotIn", values: ["c"] }] },
];
