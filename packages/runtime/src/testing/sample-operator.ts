// One controller in a program: a fake API server, the real client, cache and controller unit, and a fake clock.

import { Client, layered, withCorrelation } from "@homeostat/client";
import { FakeClock, type KubeObject, type ResourceType, SeededRandom } from "@homeostat/core";
import { Cache } from "../cache/cache.ts";
import { clientSources } from "../cache/client-source.ts";
import type { EventRecord, EventSubject } from "../events/make-event.ts";
import { ReconcileHistory } from "../history/reconcile-history.ts";
import { recordingLogger, type LogLine } from "../log/keeping-logger.ts";
import { Registry } from "../metrics/registry.ts";
import type { SpanFields } from "../tracing/tracing.ts";
import type { HotLoopOptions } from "../writes/hot-loops.ts";
import { ControllerMetrics } from "../controller/controller-metrics.ts";
import { controllerUnit } from "../controller/controller-unit.ts";
import { correlate } from "../controller/correlation.ts";
import type { Controller } from "../controller/definition.ts";
import { FakeApi } from "./controller-api.ts";
import type { ControllerUnit } from "../controller/unit.ts";

/** The primary object: its controller creates a page for each site. */
export interface Site extends KubeObject {
  spec: { text: string; config?: string };
  status?: { pages?: number; conditions?: { type: "Ready" | "Valid"; status: string; reason?: string }[] };
}
export const Site: ResourceType<Site> & { hasStatus: true } = {
  group: "example.com",
  version: "v1",
  kind: "Site",
  plural: "sites",
  scope: "Namespaced",
  hasStatus: true,
};

export interface Page extends KubeObject {
  spec: { text: string };
  status?: { isUp?: boolean };
}
export const Page: ResourceType<Page> = {
  group: "example.com",
  version: "v1",
  kind: "Page",
  plural: "pages",
  scope: "Namespaced",
};

export interface Settings extends KubeObject {
  data?: Record<string, string>;
}
export const Settings: ResourceType<Settings> = {
  group: "",
  version: "v1",
  kind: "Settings",
  plural: "settings",
  scope: "Namespaced",
};

/** Options of {@link Operator}. */
export interface OperatorOptions {
  readonly api?: FakeApi;
  readonly clock?: FakeClock;
  readonly hotLoops?: Omit<HotLoopOptions, "clock">;
  readonly recordsDetails?: boolean;
}

/** Shared by all tests, because each instance slows down every `await`. */
const correlation = correlate();

/** A process with one controller. */
export class Operator implements AsyncDisposable {
  readonly api: FakeApi;
  readonly clock: FakeClock;
  readonly unit: ControllerUnit;
  readonly registry: Registry = new Registry();
  readonly history: ReconcileHistory = new ReconcileHistory();
  readonly lines: LogLine[] = [];
  readonly spans: { name: string; fields: SpanFields; failures: unknown[] }[] = [];
  readonly events: (EventRecord & { object: EventSubject })[] = [];
  readonly #life = new AbortController();
  readonly #running: Promise<void>;
  #term: { stop: AbortController; abort: AbortController; done: Promise<void> } | undefined;

  constructor(controller: Controller, { api, clock, hotLoops, recordsDetails = true }: OperatorOptions = {}) {
    this.api = api ?? new FakeApi([Site, Page, Settings]);
    this.clock = clock ?? new FakeClock({ turnsMin: 3 });
    const random = new SeededRandom(1);
    const client = new Client(layered(this.api, [withCorrelation(correlation.current)]), { clock: this.clock });
    const cache = new Cache({ sources: clientSources(client), clock: this.clock, random });
    this.unit = controllerUnit(controller, {
      client,
      cache,
      clock: this.clock,
      random,
      correlation,
      recordsDetails,
      log: recordingLogger(this.lines),
      tracing: {
        span: async (name, fields, work) => {
          const failures: unknown[] = [];
          const record = { name, fields, failures };
          this.spans.push(record);
          const set = (more: SpanFields): void => void (record.fields = { ...record.fields, ...more });
          const failed = (error: unknown): void => void (failures.includes(error) || failures.push(error));
          try {
            return await work({ ids: undefined, set, note() {}, failed });
          } catch (error) {
            failed(error);
            throw error;
          }
        },
      },
      events: { record: (object, record) => void this.events.push({ ...record, object }) },
      metrics: new ControllerMetrics(this.registry),
      history: this.history,
      ...(hotLoops === undefined ? {} : { hotLoops }),
    });
    this.unit.open();
    this.#running = cache.run(this.#life.signal);
  }

  /** Starts a term, and waits until the controller has nothing to do without time passing. */
  async lead(): Promise<void> {
    const stop = new AbortController();
    const abort = new AbortController();
    this.#term = { stop, abort, done: this.unit.lead({ stop: stop.signal, abort: abort.signal }) };
    await this.settle();
  }

  /** Waits for everything that can happen without time passing. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn += 1) await this.clock.advance(0);
  }

  async stop(): Promise<void> {
    this.#term?.stop.abort();
    await this.#end();
  }

  async abort(reason: unknown): Promise<void> {
    this.#term?.abort.abort(reason);
    await this.#end();
  }

  /** Aborts the term without waiting for its end. */
  requestAbort(reason: unknown): void {
    this.#term?.abort.abort(reason);
  }

  /** Stops the term without waiting for its end. */
  requestStop(): void {
    this.#term?.stop.abort();
  }

  /** Returns the value of the first metrics line with a prefix. */
  metric(beginning: string): number {
    const line = this.registry
      .expose()
      .split("\n")
      .find((other) => other.startsWith(beginning));
    return Number(line?.slice(line.lastIndexOf(" ") + 1) ?? Number.NaN);
  }

  logged(message: RegExp): LogLine[] {
    return this.lines.filter((line) => message.test(line.message));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#term !== undefined) await this.abort(new Error("the test is over"));
    this.unit.close();
    this.#life.abort();
    await this.#running;
  }

  async #end(): Promise<void> {
    await this.settle();
    await this.#term?.done;
    this.#term = undefined;
  }
}
