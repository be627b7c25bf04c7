// Random histories of a controller that manages objects: desired sets that change, other clients that write between any two of its
// requests, stale caches, lost responses and crashes. A checker in the API server verifies every change of the controller, with its
// own record of owners: it never uses the code under test to find out who owns an object.

import { type KubeObject, type Random, SeededRandom, type ResourceType } from "@homeostat/core";
import { managed, type ManagedKind } from "../kinds/kinds.ts";
import { apiWithBox, ConfigMap, settled } from "./writes-bench.ts";
import type { AnyObject, FakeApi, Fault, StoredChange } from "./writes-api.ts";
import { Controller, type ControllerOptions, Token, Widget } from "./managed-bench.ts";
import { desired, type DesiredObject, type Tier } from "../managed/desired.ts";
import type { SyncOptions, SyncResult } from "../managed/managed-objects.ts";

/** Changes of the code under test, for verifying that the checker detects them. */
export interface HistoryOptions {
  readonly controller?: ControllerOptions;
  /** Options of every sync. */
  readonly syncOptions?: SyncOptions;
  /** Describes the inputs of a desired set. With it, all objects are of cached kinds, and an unchanged set must be settled in the end. */
  readonly inputsOf?: (specs: readonly Spec[]) => string;
}

const kinds: readonly ManagedKind[] = [
  managed(ConfigMap),
  managed(Widget, { replaceOn: ["roleRef"] }),
  managed(Token, { cached: false }),
];
const names = ["a", "b", "c"] as const;
const values = ["1", "2"] as const;

/** One object of a desired set, with its desired content. */
export interface Spec {
  readonly type: ResourceType;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
  readonly role: string;
}

/** Simulates a history. Returns the first violation; undefined if there is none. */
export async function playHistory(seed: number, options: HistoryOptions = {}): Promise<string | undefined> {
  const history = new History(await apiWithBox(), new SeededRandom(seed), options);
  try {
    return await history.play();
  } catch (error) {
    return `threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}

/** Simulates histories until one has a violation. */
export async function findFailure(options: HistoryOptions, historiesMax: number): Promise<string | undefined> {
  for (let seed = 1; seed <= historiesMax; seed += 1) {
    const failure = await playHistory(seed, options);
    if (failure !== undefined) return `seed ${seed}: ${failure}`;
  }
  return undefined;
}

class History {
  readonly #api: FakeApi;
  readonly #random: Random;
  readonly #options: HistoryOptions;
  readonly #problems: string[] = [];
  /** UIDs of the objects that the controller owns: those it created, until another client takes them over. */
  readonly #ours = new Set<string>();
  #controller: Controller;
  #specs: readonly Spec[] = [];
  /** The result of the last reconcile; undefined if its sync threw. */
  #result: SyncResult | undefined;
  #isActing = false;

  constructor(api: FakeApi, random: Random, options: HistoryOptions) {
    this.#api = api;
    this.#random = random;
    this.#options = options;
    this.#controller = this.#start();
    api.onChange = (change) => this.#verify(change);
  }

  async play(): Promise<string | undefined> {
    for (let step = 0; step < 12 && this.#problems.length === 0; step += 1) {
      if (this.#oneIn(3)) this.#specs = this.#randomSpecs();
      for (let count = this.#upTo(2); count > 0; count -= 1) this.#interfere();
      if (!this.#oneIn(3)) this.#controller.sync();
      await this.#reconcile({ isTroubled: true });
    }
    await this.#comeToRest();
    return this.#problems[0];
  }

  #start(): Controller {
    return new Controller(this.#api, { kinds, ...this.#options.controller });
  }

  /** Runs one reconcile, in which other clients write between the controller's requests and responses are lost. */
  async #reconcile({ isTroubled }: { readonly isTroubled: boolean }): Promise<void> {
    const { requests } = this.#api;
    const crashAt = isTroubled && this.#oneIn(4) ? requests.length + this.#upTo(8) : -1;
    const abort = new AbortController();
    let hasCrashed = false;
    this.#api.fault = (number): Fault | undefined => {
      if (hasCrashed) throw new CrashedError();
      if (number === crashAt) {
        hasCrashed = true;
        abort.abort(new CrashedError());
        return this.#pick(["cut before", "cut after"]);
      }
      return isTroubled && this.#oneIn(12)
        ? this.#pick(["cut before", "cut after", "failed before", "failed after"])
        : undefined;
    };
    this.#api.around = (handle) => {
      if (isTroubled && this.#oneIn(4)) this.#interfere();
      this.#isActing = true;
      try {
        return handle();
      } finally {
        this.#isActing = false;
      }
    };
    const objects = this.#controller.reconcile(abort.signal);
    const { syncOptions, inputsOf } = this.#options;
    const options = { ...syncOptions, ...(inputsOf !== undefined && { inputs: inputsOf(this.#specs) }) };
    this.#result = undefined;
    try {
      this.#result = await settled(this.#controller.clock, objects.sync(this.#tiers(), options));
    } catch (error) {
      // Without the inventory nothing may be created, so the sync ends if it cannot be written.
      if (!isTroubled) throw error;
    } finally {
      this.#api.fault = () => undefined;
      this.#api.around = (handle) => handle();
    }
    if (hasCrashed) this.#controller = this.#start();
  }

  /** Checks that the set reaches the desired state after the last interference, and then needs only reads of kinds that are not cached. */
  async #comeToRest(): Promise<void> {
    for (let round = 0; round < 6 && this.#problems.length === 0; round += 1) {
      for (const id of this.#api.stored.keys()) this.#api.act("PATCH", id, { metadata: { finalizers: null } });
      this.#controller.sync();
      await this.#reconcile({ isTroubled: false });
    }
    this.#controller.sync();
    const count = this.#api.requests.length;
    await this.#reconcile({ isTroubled: false });
    const made = this.#api.requests.slice(count).filter((request) => !request.startsWith("GET tokens"));
    const isBlocked = this.#specs.some((spec) => !this.#isFree(spec));
    if (made.length > 0 && !isBlocked) this.#problem(`an unchanged set made requests: ${made.join(", ")}`);
    const isSettled = this.#result?.outcomes.size === 0;
    if (this.#options.inputsOf !== undefined && !isBlocked && !isSettled)
      this.#problem("an unchanged set is not settled");
    this.#checkFinal();
  }

  #checkFinal(): void {
    const expected = new Set(this.#specs.map(idOf));
    for (const spec of this.#specs) {
      const object = this.#api.stored.get(idOf(spec))?.object;
      if (object === undefined) this.#problem(`${idOf(spec)} is desired and missing`);
      else if (this.#ours.has(object.metadata.uid ?? "") && !isAsDesired(object, spec)) {
        this.#problem(`${idOf(spec)} is not as desired: ${JSON.stringify(object)}`);
      }
    }
    for (const [id, { object }] of this.#api.stored) {
      const isOrphan = this.#ours.has(object.metadata.uid ?? "") && !expected.has(id) && !id.startsWith("tokens ");
      if (isOrphan) this.#problem(`${id} is an orphan`);
    }
  }

  /** Reports whether the name of a desired object is not taken by an object of another owner. */
  #isFree(spec: Spec): boolean {
    const uid = this.#api.stored.get(idOf(spec))?.object.metadata.uid;
    return uid === undefined || this.#ours.has(uid);
  }

  /** Verifies a change of the controller, and updates the record of owners. */
  #verify({ id, before, after }: StoredChange): void {
    if (id.startsWith("boxes ")) return;
    const uid = (after ?? before)?.metadata.uid ?? "";
    if (!this.#isActing) {
      if (after === undefined) this.#ours.delete(uid);
      return;
    }
    if (before === undefined) this.#ours.add(uid);
    else if (!this.#ours.has(uid))
      this.#problem(`changed ${id} of another owner: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`);
    else if (after === undefined) this.#ours.delete(uid);
  }

  #problem(text: string): void {
    this.#problems.push(text);
  }

  #randomSpecs(): readonly Spec[] {
    const declared = kinds.filter(({ rules }) => this.#options.inputsOf === undefined || rules.cached);
    return declared.flatMap(({ type }) =>
      names.flatMap((name) => {
        if (this.#oneIn(2)) return [];
        const extra = this.#oneIn(2) ? { extra: "x" } : {};
        return [{ type, name, data: { a: this.#pick(values), ...extra }, role: this.#pick(["reader", "writer"]) }];
      }),
    );
  }

  #tiers(): readonly Tier[] {
    const objects = this.#specs.map(({ type, name, data, role }): DesiredObject => {
      if (type === Widget)
        return desired(Widget, {
          metadata: { name },
          roleRef: { name: role },
          spec: { size: data["a"] ?? "", ...color(data) },
        });
      return desired(type === Token ? Token : ConfigMap, { metadata: { name }, data });
    });
    const half = Math.floor(objects.length / 2);
    return [
      { name: "first", objects: objects.slice(0, half) },
      { name: "second", objects: objects.slice(half) },
    ];
  }

  /** Writes as another client: to names that the controller needs, or to its objects. */
  #interfere(): void {
    const type = this.#pick(kinds).type;
    const name = this.#pick(names);
    const id = `${type.plural} default/${name}`;
    const object = this.#api.stored.get(id)?.object;
    if (object === undefined) this.#createForeign(type, name);
    else this.#change(id, object);
  }

  #createForeign(type: ResourceType, name: string): void {
    if (!this.#oneIn(3)) return;
    // Possibly a copy of one of the controller's objects, with its mark but without the controller reference.
    const [copied] = this.#api.all(type.plural).filter(({ metadata }) => this.#ours.has(metadata.uid ?? ""));
    const { annotations = {}, labels = {} } = (this.#oneIn(2) ? copied?.metadata : undefined) ?? {};
    const other = { apiVersion: "v1", kind: "Pod", name: "theirs", uid: "uid-theirs", controller: true };
    const ownerReferences = this.#oneIn(2) ? [other] : [];
    const metadata = { namespace: "default", name, annotations, labels, ownerReferences };
    const body = { apiVersion: "v1", kind: type.kind, metadata, data: { theirs: "1" } };
    this.#api.act("POST", `${type.plural} default/`, body);
  }

  #change(id: string, object: AnyObject): void {
    const isOurs = this.#ours.has(object.metadata.uid ?? "");
    switch (this.#upTo(6)) {
      case 0:
        return this.#api.act("DELETE", id, {});
      case 1:
        return this.#api.act("PATCH", id, { data: { a: "drift" }, spec: { size: "drift" } });
      case 2:
        return this.#api.act("PATCH", id, { metadata: { labels: { theirs: String(this.#upTo(9)) } } });
      case 3:
        return object.metadata.deletionTimestamp === undefined && this.#oneIn(2)
          ? this.#api.act("PATCH", id, { metadata: { finalizers: ["example.com/hold"] } })
          : undefined;
      case 4:
        return this.#api.act("PATCH", id, { metadata: { finalizers: null } });
      case 5: {
        // Another controller takes the object over.
        if (!isOurs || !this.#oneIn(2)) return undefined;
        this.#ours.delete(object.metadata.uid ?? "");
        const other = { apiVersion: "v1", kind: "Pod", name: "theirs", uid: "uid-theirs", controller: true };
        return this.#api.act("PATCH", id, { metadata: { ownerReferences: [other] } });
      }
    }
  }

  #pick<T>(list: readonly T[]): T {
    const found = list[this.#random.int(list.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  }

  #oneIn(count: number): boolean {
    return this.#random.int(count) === 0;
  }

  #upTo(count: number): number {
    return this.#random.int(count);
  }
}

class CrashedError extends Error {}

function color(data: Spec["data"]): { color?: string } {
  return data["extra"] === undefined ? {} : { color: data["extra"] };
}

function idOf({ type, name }: Spec): string {
  return `${type.plural} default/${name}`;
}

function isAsDesired(object: KubeObject & Record<string, unknown>, { type, data, role }: Spec): boolean {
  if (type === Widget) {
    const { size, color: found } = Object(object["spec"]);
    return size === data["a"] && found === data["extra"] && Object(object["roleRef"]).name === role;
  }
  const { a, extra } = Object(object["data"]);
  return a === data["a"] && extra === data["extra"];
}
