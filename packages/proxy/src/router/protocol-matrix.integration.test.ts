import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SeededRandom, systemClock } from "@homeostat/core";
import { compileTable, type CompiledTable, KeyReader } from "@homeostat/routing";
import { Http1Engine } from "../http1/engine.ts";
import { Http2Engine } from "../http2/engine.ts";
import { Deadlines } from "../limits/deadlines.ts";
import { defaultLimits } from "../limits/limits.ts";
import type { Engine } from "../listener/engine.ts";
import { Listeners } from "../listener/listeners.ts";
import { SafeEngine } from "../safe/safe-engine.ts";
import { type CaseOutcome, protocolCases } from "../testing/protocol-cases.ts";
import { ProtocolUpstream } from "../testing/protocol-upstream.ts";
import { RecordingObserver } from "../testing/recording-observer.ts";
import { connectTcp } from "../upstream/connect.ts";
import { TwoChoiceBalancer } from "../upstream/two-choice-balancer.ts";
import { Holds } from "./holds.ts";
import { RouteTables } from "./route-tables.ts";
import { TableRouter } from "./table-router.ts";

const listen = 21_000;
const routes = ["baseline", "fork", "missing", "hold"] as const;

/** A proxy with a baseline, a fork, and keys of each kind of route. */
class MatrixProxy implements AsyncDisposable {
  readonly #holds = new Holds({ clock: systemClock, limits: defaultLimits });
  readonly #tables = new RouteTables({ keys: new KeyReader({ role: "takeover" }), random: new SeededRandom(1) });
  readonly #listeners: Listeners;
  readonly #baseline: ProtocolUpstream;
  readonly #fork: ProtocolUpstream;
  port = 0;

  private constructor(engine: "fast" | "safe", baseline: ProtocolUpstream, fork: ProtocolUpstream) {
    const random = new SeededRandom(1);
    const limits = defaultLimits;
    const observer = new RecordingObserver();
    const shared = {
      clock: systemClock,
      limits,
      observer,
      balancer: new TwoChoiceBalancer({ clock: systemClock, random, limits }),
    };
    const safe = new SafeEngine(shared);
    const engines: { http1: Engine; http2: Engine } =
      engine === "safe"
        ? { http1: safe, http2: safe }
        : { http1: new Http1Engine(shared), http2: new Http2Engine(shared) };
    this.#baseline = baseline;
    this.#fork = fork;
    this.#tables.onChange(() => this.#holds.retryAll());
    this.#tables.swap({ tables: [this.#table([])] });
    const deadlines = new Deadlines(systemClock);
    this.#listeners = new Listeners({
      ...engines,
      deadlines,
      limits,
      observer,
      connect: connectTcp,
      host: "127.0.0.1",
    });
  }

  static async start(engine: "fast" | "safe"): Promise<MatrixProxy> {
    const [baseline, fork] = [await ProtocolUpstream.start("baseline"), await ProtocolUpstream.start("fork")];
    const proxy = new MatrixProxy(engine, baseline, fork);
    const router = new TableRouter({ tables: proxy.#tables, listen, holds: proxy.#holds });
    proxy.port = (await proxy.#listeners.open({ port: 0, router, baseline: () => router.baseline })).port;
    return proxy;
  }

  /** Makes the target of held requests ready as soon as one waits, and unready after the response. */
  async withHold(request: Promise<CaseOutcome>): Promise<CaseOutcome> {
    while (this.#holds.size === 0) await new Promise((resolve) => setImmediate(resolve));
    this.#tables.swap({ tables: [this.#table([this.#fork.address])] });
    const outcome = await request;
    this.#tables.swap({ tables: [this.#table([])] });
    return outcome;
  }

  #table(heldTargets: readonly string[]): CompiledTable {
    const entry = (name: string, addresses: readonly string[]) => ({
      routingKey: `key-${name}`,
      sandbox: `pr-${name}`,
      workload: "cart",
      source: "Sandbox" as const,
      ...(name === "hold" && { onUnavailable: "Hold" as const }),
      ports: [{ port: 80, targetService: "cart", targetPort: 80, addresses }],
    });
    return compileTable({
      namespace: "shop",
      service: "cart",
      version: "1",
      ports: [{ port: 80, listen, baselineTarget: this.#baseline.address }],
      entries: [entry("fork", [this.#fork.address]), entry("missing", []), entry("hold", heldTargets)],
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.close();
    await this.#baseline[Symbol.asyncDispose]();
    await this.#fork[Symbol.asyncDispose]();
  }
}

for (const engine of ["fast", "safe"] as const) {
  describe(`protocol matrix: ${engine} engines`, () => {
    let proxy: MatrixProxy;
    before(async () => {
      proxy = await MatrixProxy.start(engine);
    });
    after(async () => {
      await proxy[Symbol.asyncDispose]();
    });

    for (const { name, send, expected, isGrpc } of protocolCases) {
      for (const route of routes) {
        it(`${name}: ${route}`, async () => {
          const fields: Record<string, string> = route === "baseline" ? {} : { "x-routing-key": `key-${route}` };

          const request = send({ port: proxy.port, fields });
          const outcome = await (route === "hold" ? proxy.withHold(request) : request);

          if (route === "missing") {
            assert.equal(outcome.upstream, undefined);
            assert.equal(outcome.status, isGrpc === true ? 200 : 503);
            if (isGrpc === true) assert.equal(outcome.grpcStatus, "14");
            return;
          }
          assert.equal(outcome.upstream, route === "baseline" ? "baseline" : "fork");
          for (const [key, value] of Object.entries(expected))
            assert.deepEqual(outcome[key as keyof CaseOutcome], value, key);
        });
      }
    }
  });
}
