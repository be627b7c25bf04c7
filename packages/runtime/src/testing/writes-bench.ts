// A test bench for the writes of reconciles, with an in-memory API server and a cache that may lag behind.

import { createClient, WriteResponse } from "@homeostat/client";
import {
  asStored,
  deepClone,
  FakeClock,
  formatKey,
  type KubeObject,
  type ObjectKey,
  parseKey,
  type ResourceType,
  SeededRandom,
  type Stored,
} from "@homeostat/core";
import type { WriteEvidence, WriteTicket } from "../cache/writes.ts";
import { readDeletionResponse } from "../cache/writes.ts";
import { silentLogger } from "../log/logger.ts";
import { ApplyMemory } from "../writes/apply-memory.ts";
import { type AnyObject, FakeApi } from "./writes-api.ts";
import { HotLoops } from "../writes/hot-loops.ts";
import type { WriteNote } from "../writes/journal.ts";
import { watchForLoops } from "../writes/loop-watch.ts";
import { ownerUidOf } from "../writes/ownership.ts";
import { recordedClient } from "../writes/recorded-client.ts";
import type { ManagedCache } from "../managed/managed-set.ts";
import type { OwnedInformer, ReconcileScope, WriteReport } from "../writes/reconcile-scope.ts";

export interface Box extends KubeObject {
  spec?: { size?: number };
  status?: { phase?: string; count?: number; conditions?: { type: string; status: string }[] };
}

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

export const Box: ResourceType<Box> = {
  group: "example.com",
  version: "v1",
  kind: "Box",
  plural: "boxes",
  scope: "Namespaced",
};

export const ConfigMap: ResourceType<ConfigMap> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  scope: "Namespaced",
};

/** A completed write ticket, as the cache received it. */
export interface CompletedTicket {
  readonly key: string;
  readonly result: "wrote" | "deleted" | "failed";
  readonly evidence?: WriteEvidence | undefined;
}

/** A cache of one kind that contains the last synced state, and own writes at once. */
export class View implements OwnedInformer, ManagedCache {
  readonly tickets: CompletedTicket[] = [];
  readonly #api: FakeApi;
  readonly #plural: string;
  #objects = new Map<string, AnyObject>();

  readonly #ownerUid: (object: Stored<AnyObject>) => string | undefined;

  constructor(api: FakeApi, plural: string, ownerUid: (object: Stored<AnyObject>) => string | undefined = ownerUidOf) {
    this.#api = api;
    this.#plural = plural;
    this.#ownerUid = ownerUid;
    this.sync();
  }

  /** Syncs the cache with the server. */
  sync(): void {
    const all = this.#api.all(this.#plural).map((object) => deepClone(object));
    this.#objects = new Map(all.map((object) => [keyOfMeta(object), object]));
  }

  get(key: string | ObjectKey): Stored<AnyObject> | undefined {
    const found = this.#objects.get(formatKey(typeof key === "string" ? parseKey(key) : key));
    return found === undefined ? undefined : asStored(found);
  }

  by(_index: "owner", uid: string): readonly Stored<AnyObject>[] {
    const all = [...this.#objects.values()].map((object) => asStored(object));
    return all.filter((object) => this.#ownerUid(object) === uid);
  }

  versionOf(key: string | ObjectKey): string | undefined {
    const { uid, resourceVersion } = this.get(key)?.metadata ?? {};
    return uid === undefined ? undefined : `${uid}/${resourceVersion}`;
  }

  countBy(index: "owner", uid: string): number {
    return this.by(index, uid).length;
  }

  /** The counterpart of `Cache.write`. */
  ticket({ namespace, name }: ObjectKey): WriteTicket {
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    let isComplete = false;
    const complete = (ticket: Omit<CompletedTicket, "key">): boolean => {
      if (isComplete) return false;
      isComplete = true;
      this.tickets.push({ key, ...ticket });
      return true;
    };
    const failed = (): void => void complete({ result: "failed" });
    return {
      wrote: (body, evidence) => {
        if (!complete({ result: "wrote", evidence })) return;
        const object = body instanceof WriteResponse ? body.object : body;
        const { managedFields: _managed, ...metadata } = object.metadata;
        this.#objects.set(key, deepClone({ ...object, metadata }));
      },
      deleted: (body) => {
        if (!complete({ result: "deleted" })) return;
        const deletion = readDeletionResponse(body);
        if ("uid" in deletion) this.#objects.delete(key);
        else this.#objects.set(key, deepClone({ ...deletion.object }));
      },
      failed,
      [Symbol.dispose]: failed,
    };
  }
}

/** A process with its apply memory, its caches, and the writes of its reconciles. */
export class Bench {
  readonly api: FakeApi;
  readonly clock: FakeClock;
  readonly boxes: View;
  readonly configMaps: View;
  readonly notes: WriteNote[] = [];
  readonly reports: WriteReport[] = [];
  readonly memory: ApplyMemory = new ApplyMemory();
  readonly hotLoops: HotLoops;

  constructor(api: FakeApi, clock: FakeClock = new FakeClock()) {
    this.api = api;
    this.clock = clock;
    this.boxes = new View(api, "boxes");
    this.configMaps = new View(api, "configmaps");
    this.hotLoops = new HotLoops({ clock });
  }

  /** Starts a reconcile of a box from the cache. */
  begin(object: Stored<Box> = this.box()): ReconcileScope<Box> {
    const key = keyOfMeta(object);
    const { clock, hotLoops, memory } = this;
    const random = new SeededRandom(1);
    const report = (news: WriteReport): void => void this.reports.push(news);
    const journal = { wrote: (note: WriteNote): void => void this.notes.push(note) };
    const viewOf = (type: ResourceType): View => (type.plural === "boxes" ? this.boxes : this.configMaps);
    const client = recordedClient(createClient(this.api, { retries: false, clock }), {
      cache: { write: (type, name) => viewOf(type).ticket(name) },
      writer: `boxes ${key}`,
      journal,
      clock,
      random,
      before: (type, name) => viewOf(type).get(name),
      onChange: watchForLoops({ key, object, type: Box, hotLoops, log: silentLogger, report }),
    });
    return {
      object,
      type: Box,
      key,
      fieldManager: "boxes",
      client,
      journal,
      memory,
      hotLoops,
      signal: new AbortController().signal,
      log: silentLogger,
      clock,
      serverClock: clock,
      random,
      report,
    };
  }

  /** Returns the cached box. */
  box(): Stored<AnyObject> {
    const box = this.boxes.get("default/a");
    if (box === undefined) throw new Error("the cache has no box");
    return box;
  }

  /** Returns the writes in short form. */
  get results(): string[] {
    return this.notes.map(({ verb, resource, result }) => `${verb} ${resource} ${result}`);
  }
}

/** Advances the clock until a promise settles. */
export async function settled<R>(clock: FakeClock, work: Promise<R>): Promise<R> {
  const state = { isDone: false };
  const done = work.finally(() => {
    state.isDone = true;
  });
  done.catch(() => undefined);
  for (let turn = 0; turn < 1000 && !state.isDone; turn += 1) await clock.advance(100);
  return done;
}

/** Returns another client, whose writes bypass the cache. */
export function otherClient(api: FakeApi): ReturnType<typeof createClient> {
  return createClient(api, { retries: false, defaults: { fieldManager: "other-client" } });
}

/** Returns an API server with one box. */
export async function apiWithBox(): Promise<FakeApi> {
  const api = new FakeApi();
  const metadata = { namespace: "default", name: "a" };
  await otherClient(api).create(Box, { apiVersion: "example.com/v1", kind: "Box", metadata, spec: { size: 1 } });
  api.requests.length = 0;
  api.changes.length = 0;
  return api;
}

function keyOfMeta({ metadata: { namespace = "", name = "" } }: Stored<KubeObject> | KubeObject): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}
