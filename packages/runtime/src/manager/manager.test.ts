import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import { FakeClock, ListenError, nextTurn, type ResourceType, SeededRandom } from "@homeostat/core";
import { type ControllerParts, controllerUnit } from "../controller/controller-unit.ts";
import { defineController } from "../controller/define-controller.ts";
import type { Controller } from "../controller/definition.ts";
import type { StuckReconcile } from "../controller/stuck-workers.ts";
import type { ControllerUnit, TermSignals } from "../controller/unit.ts";
import { LeadershipLostError } from "../election/errors.ts";
import { runChecks } from "../http/check.ts";
import type { Logger } from "../log/logger.ts";
import { Gauge } from "../metrics/gauge.ts";
import { Registry } from "../metrics/registry.ts";
import { type PartFailedError, ShuttingDownError } from "./errors.ts";
import { FakeServer } from "../testing/manager-server.ts";
import { createManagerWith, type Manager } from "./manager.ts";
import type { ManagerOptions } from "./options.ts";
import type { Service, ServiceTools } from "./service.ts";

const widget = (plural: string): ResourceType => ({
  group: "example.com",
  version: "v1",
  kind: "Any",
  plural,
  scope: "Namespaced",
});

/** Collects log lines of level warn and above, as `level message part`. */
class KeptLog implements Logger {
  readonly lines: string[] = [];
  readonly fields: Readonly<Record<string, unknown>>[] = [];
  debug(): void {}
  info(): void {}
  warn(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.lines.push(`warn ${message}`);
    this.fields.push(fields);
  }
  error(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.lines.push(`error ${message}`);
    this.fields.push(fields);
  }
  child(): Logger {
    return this;
  }
}

/** Behaviour of a fake controller unit. */
interface Behaviour {
  /** Work of a term. Default: returns when its signal aborts. */
  lead?(signals: TermSignals): Promise<void>;
  ready?(signal: AbortSignal): Promise<void>;
  open?(): void;
  blocked?(): readonly StuckReconcile[] | undefined;
}

/** A test bench for one manager: API server, clock, fake controller units, and a list of calls. */
class Bench {
  readonly clock = new FakeClock({ now: 1_000_000 });
  readonly server = new FakeServer();
  readonly log = new KeptLog();
  readonly calls: string[] = [];
  readonly stop = new AbortController();
  readonly parts: ControllerParts[] = [];
  readonly manager: Manager;
  running: Promise<void> | undefined;
  outcome: { error?: unknown } | undefined;

  constructor(
    behaviours: Readonly<Record<string, Behaviour>>,
    options: Partial<Omit<ManagerOptions, "connection" | "controllers">> = {},
  ) {
    const controllers = Object.keys(behaviours).map((name) =>
      defineController({ name, for: widget(name), reconcile: async () => undefined }),
    );
    this.manager = createManagerWith(
      {
        name: "bench",
        connection: this.server,
        controllers,
        log: this.log,
        clock: this.clock,
        random: new SeededRandom("manager"),
        env: {},
        ...options,
      },
      (controller, parts) => this.#unit(controller, parts, behaviours[controller.name] ?? {}),
    );
  }

  start(): void {
    this.running = this.manager.run(this.stop.signal);
    void this.running.then(
      () => (this.outcome = {}),
      (error: unknown) => (this.outcome = { error }),
    );
  }

  /** Advances the clock, and waits for everything that is due. */
  async advance(ms: number): Promise<void> {
    for (let i = 0; i < 20; i += 1) await nextTurn();
    await this.clock.advance(ms);
    for (let i = 0; i < 20; i += 1) await nextTurn();
  }

  get ready(): string {
    return runChecks("readyz", this.manager.readyChecks()).text;
  }

  #unit({ name }: Controller, parts: ControllerParts, behaviour: Behaviour): ControllerUnit {
    this.parts.push(parts);
    const record = (what: string): void => void this.calls.push(`${name} ${what}`);
    return {
      name,
      access: [{ group: "example.com", resource: name, verbs: ["list", "watch"] }],
      open: () => {
        record("opens");
        behaviour.open?.();
      },
      ready: (signal) => behaviour.ready?.(signal) ?? Promise.resolve(),
      async lead(signals) {
        record("leads");
        await (behaviour.lead?.(signals) ?? untilAborted(signals.stop));
        record("is done");
      },
      queue: () => undefined,
      blocked: () => behaviour.blocked?.(),
      releaseMemory: () => record("releases memory"),
      close: () => record("closes"),
    };
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

const leaderElection = { namespace: "system", identity: "me", trustMissing: true } as const;

describe("a manager without election", () => {
  it("starts its controllers and stops them in order", async () => {
    const bench = new Bench({ tenants: {}, orders: {} });

    bench.start();
    await bench.advance(10);
    assert.equal(bench.manager.state, "running");
    assert.deepEqual(bench.calls.splice(0), ["tenants opens", "orders opens", "tenants leads", "orders leads"]);
    assert.match(bench.ready, /readyz check passed/);
    bench.stop.abort(new Error("stop"));
    await bench.advance(10);

    assert.deepEqual(bench.calls, ["tenants is done", "orders is done", "tenants closes", "orders closes"]);
    assert.deepEqual(bench.outcome, {});
    assert.equal(bench.manager.state, "stopped");
    assert.equal(bench.clock.pending, 0, "no timer is left");
  });

  it("is not live when all workers of a controller are stuck", async () => {
    let stuck: readonly StuckReconcile[] | undefined;
    const bench = new Bench({ tenants: {}, orders: { blocked: () => stuck } });
    const live = (): string => runChecks("livez", bench.manager.liveChecks()).text;

    assert.match(live(), /livez check passed/);
    stuck = [{ key: "shop/a", runningMs: 61_500 }];

    assert.equal(
      live(),
      "[+]ping ok\n[+]controller/tenants ok\n" +
        "[-]controller/orders failed: all workers are stuck in reconciles that ignore their signal: shop/a for 61 s\n" +
        "livez check failed\n",
    );
  });

  it("lets its controllers release memory before it collects garbage at rest", async ({ mock }) => {
    // The tests of other files in this process must not count as work of the manager.
    mock.method(process, "cpuUsage", () => ({ user: 0, system: 0 }));
    mock.method(process, "memoryUsage", () => ({ heapTotal: 50e6, heapUsed: 20e6 }));
    const exposed = Object.getOwnPropertyDescriptor(globalThis, "gc");
    const collect = (): void => void bench.calls.push("collects");
    Object.defineProperty(globalThis, "gc", { value: collect, configurable: true });
    const bench = new Bench({ tenants: {}, orders: {} });
    if (exposed === undefined) Reflect.deleteProperty(globalThis, "gc");
    else Object.defineProperty(globalThis, "gc", exposed);

    bench.start();
    for (let period = 0; period < 4; period += 1) await bench.advance(5_000);
    bench.stop.abort(new Error("stop"));
    await bench.advance(10);

    const from = bench.calls.indexOf("tenants releases memory");
    assert.deepEqual(bench.calls.slice(from, from + 3), [
      "tenants releases memory",
      "orders releases memory",
      "collects",
    ]);
  });

  it("can be stopped before it has started, and can run only once", async () => {
    const bench = new Bench({ tenants: {} });
    bench.stop.abort(new Error("stop"));

    bench.start();
    await bench.advance(10);

    assert.deepEqual(bench.outcome, {});
    assert.deepEqual(bench.calls, []);
    await assert.rejects(bench.manager.run(bench.stop.signal), { code: "ARGUMENT" });
  });

  it("waits for running reconciles, then aborts them", async () => {
    let reason: unknown;
    const bench = new Bench(
      {
        tenants: {
          lead: async ({ abort }) => {
            await untilAborted(abort);
            reason = abort.reason;
          },
        },
      },
      { graceMs: 3_000 },
    );
    bench.start();
    await bench.advance(10);

    bench.stop.abort(new Error("stop"));
    await bench.advance(2_900);
    assert.equal(bench.outcome, undefined);
    assert.match(bench.ready, /\[-\]shutdown failed: the program is shutting down/);
    await bench.advance(200);

    assert.deepEqual(bench.outcome, {});
    assert.ok(reason instanceof ShuttingDownError);
  });

  it("ends and names parts that ignore their signal", async () => {
    const bench = new Bench({ tenants: { lead: () => new Promise(() => undefined) } }, { graceMs: 1_000 });
    bench.start();
    await bench.advance(10);

    bench.stop.abort(new Error("stop"));
    await bench.advance(4_000);

    assert.equal(codeOf(bench), "PART_STUCK");
    assert.match(String(bench.outcome?.error), /controller\/tenants did not stop/);
    assert.equal(bench.clock.pending, 0);
  });

  it("stops everything and names the failed part when a controller throws", async () => {
    const failure = new Error("out of luck");
    const bench = new Bench({
      tenants: {
        lead: async ({ stop }) => {
          await Promise.race([bench.clock.sleep(100), untilAborted(stop)]);
          throw failure;
        },
      },
      orders: {},
    });
    bench.start();

    await bench.advance(200);

    const { error } = bench.outcome as { error: { code: string; part: string; cause: unknown } };
    assert.equal(error.code, "PART_FAILED");
    assert.equal(error.part, "controller/tenants");
    assert.equal(error.cause, failure);
    assert.ok(bench.calls.includes("orders is done"));
    assert.ok(bench.log.lines.includes("error Part failed, stopping"));
  });

  it("fails when a controller ends by itself or cannot be opened", async () => {
    const ended = new Bench({ tenants: { lead: async () => undefined } });
    const closed = new Bench({
      tenants: {
        open: () => {
          throw new Error("no");
        },
      },
    });

    for (const bench of [ended, closed]) {
      bench.start();
      await bench.advance(10);
    }

    assert.match(String(ended.outcome?.error), /controller\/tenants ended before it was stopped/);
    assert.match(String(closed.outcome?.error), /controller\/tenants failed.*no/);
  });

  it("runs many parts without a warning about too many listeners", async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", note);
    const names = Array.from({ length: 30 }, (_, i) => `part${i}`);
    const services = names.map((name) => ({ name, when: "always" as const, run: untilAborted }));
    const bench = new Bench(Object.fromEntries(names.map((name) => [name, {}])), { services, preflight: false });

    bench.start();
    await bench.advance(10);
    assert.equal(bench.calls.filter((line) => line.endsWith("leads")).length, 30);
    bench.stop.abort();
    await bench.advance(10);
    process.off("warning", note);

    assert.deepEqual(bench.outcome, {});
    assert.deepEqual(warnings, []);
  });

  it("rejects two parts with the same name, and invalid names", () => {
    const service = { name: "a", when: "always" as const, run: async () => undefined };

    assert.throws(() => new Bench({}, { services: [service, service] }), {
      code: "ARGUMENT",
      message: /service\/a is not unique/,
    });
    assert.throws(() => new Bench({}, { services: [{ ...service, name: "a b" }] }), { code: "ARGUMENT" });
    assert.throws(() => new Bench({}, { name: "Not A Name" }), { code: "ARGUMENT" });
    assert.throws(() => new Bench({}, { graceMs: -1 }), { code: "ARGUMENT" });
    assert.throws(() => new Bench({}, { leaderElection: {} }), { code: "ARGUMENT", message: /POD_NAMESPACE/ });
  });
});

describe("the setup of a manager", () => {
  it("is called once with the tools, before controllers and services are created", () => {
    const calls: string[] = [];
    const sites = defineController({ name: "sites", for: widget("sites"), reconcile: async () => undefined });

    createManagerWith(
      {
        name: "bench",
        connection: new FakeServer(),
        controllers: [sites],
        log: new KeptLog(),
        env: {},
        setup: ({ registry, unfencedClient, namespace }) => {
          calls.push(`setup ${registry.expose().length > 0} ${unfencedClient.transport !== undefined} ${namespace}`);
        },
        namespace: "system",
        services: [
          () => {
            calls.push("service");
            return { name: "s", when: "always", run: async () => undefined };
          },
        ],
      },
      (controller, parts) => {
        calls.push("controller");
        return controllerUnit(controller, parts);
      },
    );

    assert.deepEqual(calls, ["setup true true system", "controller", "service"]);
  });
});

describe("a manager with metrics of its controllers", () => {
  it("registers metrics once that several controllers share", () => {
    const registry = new Registry();
    const metrics = {
      register: (into: Registry) => into.register(new Gauge({ name: "sites", help: "Sites." })),
    };
    const sites = (name: string): Controller =>
      defineController({ name, for: widget("sites"), metrics, reconcile: async () => undefined });

    createManagerWith(
      {
        name: "bench",
        connection: new FakeServer(),
        controllers: [sites("sites-a"), sites("sites-b")],
        log: new KeptLog(),
        env: {},
        registry,
      },
      controllerUnit,
    );

    assert.equal(registry.get("sites")?.name, "sites");
  });
});

describe("a manager's services", () => {
  it("run always or while leading, and stop after the controllers", async () => {
    const calls: string[] = [];
    const service = (name: string, when: "always" | "leading") => () => ({
      name,
      when,
      run: async (signal: AbortSignal) => {
        calls.push(`${name} runs`);
        await untilAborted(signal);
        calls.push(`${name} stops`);
      },
      isReady: () => name !== "slow",
    });
    const bench = new Bench(
      { tenants: { lead: async ({ stop }) => untilAborted(stop).then(() => void calls.push("tenants stops")) } },
      { services: [service("slow", "always"), service("feed", "leading")], leaderElection },
    );
    bench.start();
    await bench.advance(10);

    assert.deepEqual(calls.splice(0).toSorted(), ["feed runs", "slow runs"]);
    assert.match(bench.ready, /\[-\]service\/slow failed: not ready/);
    assert.match(bench.ready, /\[\+\]service\/feed ok/);
    bench.stop.abort(new Error("stop"));
    await bench.advance(10);

    assert.deepEqual(calls, ["tenants stops", "feed stops", "slow stops"]);
    assert.deepEqual(bench.outcome, {});
  });

  it("with when: always continue for a while after the program is no longer ready", async () => {
    let endedAt: number | undefined;
    const service = {
      name: "webhooks",
      when: "always" as const,
      run: async (signal: AbortSignal) => {
        await untilAborted(signal);
        endedAt = bench.clock.monotonic();
      },
    };
    const bench: Bench = new Bench({ tenants: {} }, { services: [service], drainMs: 3_000 });
    bench.start();
    await bench.advance(1_000);

    bench.stop.abort();
    await bench.advance(2_900);
    assert.match(bench.ready, /\[-\]shutdown failed/);
    assert.equal(endedAt, undefined);
    await bench.advance(200);

    assert.equal(endedAt, 4_000);
    assert.deepEqual(bench.outcome, {});
  });

  it("have the time that they ask for to stop", async () => {
    const slow = (stopMs?: number): Service => ({
      name: "tunnels",
      when: "always",
      ...(stopMs === undefined ? {} : { stopMs }),
      run: async (signal) => {
        await untilAborted(signal);
        await bench.clock.sleep(20_000);
      },
    });
    let bench = new Bench({}, { services: [slow(25_000)] });
    bench.start();
    await bench.advance(1_000);
    bench.stop.abort();
    await bench.advance(21_000);
    assert.deepEqual([bench.outcome, bench.log.lines], [{}, []]);

    bench = new Bench({}, { services: [slow()] });
    bench.start();
    await bench.advance(1_000);
    bench.stop.abort();
    await bench.advance(21_000);
    assert.equal(bench.log.lines[0], "warn Grace period exceeded, aborting");
  });

  it("log dropped events once per interval when they record a burst of events", async () => {
    const object = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: "a", uid: "u" } };
    const noisy = ({ events }: ServiceTools): Service => ({
      name: "noisy",
      when: "always",
      run: async () => {
        for (let i = 0; i < 500; i += 1)
          events.record(object, { type: "Normal", reason: `R${i}`, action: "Test", note: "again" });
      },
    });
    const bench = new Bench({}, { services: [noisy] });

    bench.start();
    await bench.advance(90_000);
    bench.stop.abort();
    await bench.advance(10_000);

    assert.equal(bench.server.events.length, 25);
    assert.deepEqual(bench.log.lines, ["warn Dropped events", "warn Dropped events"]);
    assert.deepEqual(bench.log.fields.at(-1), {
      count: 474,
      causes: { "rate-limited": 474 },
      objects: 1,
      object: "Pod shop/a",
      reason: "R499",
      note: "again",
    });
    assert.match(bench.manager.registry.expose(), /^homeostat_events_dropped_total\{reason="rate-limited"\} 475$/m);
  });

  it("of the leader are started again in each term", async () => {
    let calls = 0;
    const once = { name: "once", when: "leading" as const, run: async () => void (calls += 1) };
    const bench = new Bench({}, { services: [once], leaderElection });
    bench.start();
    await bench.advance(10);
    assert.equal(calls, 1);

    bench.server.lease = heldBy("other", bench.server.lease);
    await bench.advance(23_000);

    assert.equal(calls, 2);
    bench.stop.abort();
    await bench.advance(10);
    assert.deepEqual(bench.outcome, {});
  });

  it("may end by themselves, but stop the manager when they fail", async () => {
    const fine = new Bench({}, { services: [{ name: "once", when: "always", run: async () => undefined }] });
    const broken = new Bench(
      {},
      { services: [{ name: "once", when: "always", run: () => Promise.reject(new Error("no")) }] },
    );

    for (const bench of [fine, broken]) {
      bench.start();
      await bench.advance(10);
    }

    assert.equal(fine.outcome, undefined);
    assert.match(fine.ready, /\[\+\]service\/once ok/);
    assert.equal((broken.outcome as { error: { part: string } }).error.part, "service/once");
    fine.stop.abort();
    await fine.advance(10);
    assert.deepEqual(fine.outcome, {});
  });
});

describe("a service that fails", () => {
  const portTaken = new ListenError(
    { port: 9443, purpose: "webhooks" },
    { cause: new Error("address already in use") },
  );
  const webhooksNeed = [{ group: "example.com", resource: "orders", verbs: ["get"] }] as const;

  /** A service whose background loop follows the same signal, and which cannot open its port. */
  function failing(calls: string[]): Service {
    return {
      name: "webhooks",
      when: "always",
      access: webhooksNeed,
      run: async (signal) => {
        void untilAborted(signal).then(() => calls.push("loop ends"));
        throw portTaken;
      },
    };
  }

  it("ends its background loops and is reported once", async () => {
    const calls: string[] = [];
    const bench = new Bench({ tenants: {} }, { services: [failing(calls)] });

    bench.start();
    await bench.advance(10);

    assert.equal((bench.outcome as { error: PartFailedError }).error.cause, portTaken);
    assert.deepEqual(calls, ["loop ends"]);
    assert.deepEqual(bench.log.lines, ["error Part failed, stopping"]);
    assert.deepEqual(bench.log.fields, [{ part: "service/webhooks", error: portTaken }]);
    assert.equal(bench.clock.pending, 0, "no timer is left");
  });

  it("stops the manager and releases the Lease when the service starts while this process leads", async () => {
    const bench = new Bench({ tenants: {} }, { services: [failing([])], leaderElection });
    bench.server.denied.add("get example.com/orders");
    bench.start();
    await bench.advance(10);
    assert.equal(bench.manager.isLeading, true);

    bench.server.denied.clear();
    await bench.advance(5_000);

    assert.equal(codeOf(bench), "PART_FAILED");
    assert.equal(bench.server.holder, "");
    assert.ok(bench.calls.includes("tenants is done"));
    assert.equal(bench.clock.pending, 0, "no timer is left");
  });

  it("stops the manager without writing the Lease when the service starts after leadership was lost", async () => {
    const bench = new Bench({ tenants: {} }, { services: [failing([])], leaderElection });
    bench.server.denied.add("get example.com/orders");
    bench.start();
    await bench.advance(10);
    bench.server.lease = heldBy("other", bench.server.lease);
    await bench.advance(3_000);
    assert.equal(bench.manager.isLeading, false);

    bench.server.denied.clear();
    await bench.advance(10_000);

    assert.equal(codeOf(bench), "PART_FAILED");
    assert.equal(bench.server.holder, "other");
    assert.equal(bench.clock.pending, 0, "no timer is left");
  });

  it("stops the manager when a service of the leader cannot open its port in a later term", async () => {
    let terms = 0;
    const exporter: Service = {
      name: "exporter",
      when: "leading",
      run: async (signal) => {
        terms += 1;
        if (terms === 2) throw portTaken;
        await untilAborted(signal);
      },
    };
    const bench = new Bench({}, { services: [exporter], leaderElection });
    bench.start();
    await bench.advance(10);

    bench.server.lease = heldBy("other", bench.server.lease);
    await bench.advance(23_000);

    assert.equal(terms, 2);
    assert.equal(codeOf(bench), "PART_FAILED");
    assert.equal(bench.server.holder, "");
    assert.equal(bench.clock.pending, 0, "no timer is left");
  });
});

describe("a manager whose health port is in use", () => {
  it("reports the port once and rejects with the error", async () => {
    await using held = await holdPort();
    const bench = new Bench({ tenants: {} }, { http: { host: "127.0.0.1", port: held.port } });

    bench.start();
    await bench.running?.catch(() => undefined);

    assert.equal(codeOf(bench), "LISTEN");
    assert.match(String(bench.outcome?.error), /Cannot listen on port \d+ of 127\.0\.0\.1 for health probes/);
    assert.deepEqual(bench.log.lines, ["error Start failed, stopping"]);
    assert.equal(bench.clock.pending, 0, "no timer is left");
  });

  it("reports a metrics port in use in the same way, and closes the health port", async () => {
    await using held = await holdPort();
    const metrics = { host: "127.0.0.1", port: held.port };
    const bench = new Bench({ tenants: {} }, { http: { host: "127.0.0.1", port: 0, metrics } });

    bench.start();
    await bench.running?.catch(() => undefined);

    assert.equal(codeOf(bench), "LISTEN");
    assert.match(String(bench.outcome?.error), /for metrics/);
    assert.deepEqual(bench.log.lines, ["error Start failed, stopping"]);
    assert.deepEqual(bench.manager.ports, []);
  });
});

/** Occupies a port of the loopback interface. */
async function holdPort(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => void (await once(server.close(), "close")),
  };
}

describe("a manager with leader election", () => {
  it("is synced and ready while another process leads, and releases the lease last", async () => {
    const bench = new Bench({ tenants: {} }, { leaderElection });
    bench.server.lease = heldBy("other");
    bench.start();
    await bench.advance(10);

    assert.deepEqual(bench.calls.splice(0), ["tenants opens"]);
    assert.match(bench.ready, /readyz check passed/);
    assert.equal(bench.manager.isLeading, false);
    await bench.advance(20_000);
    assert.deepEqual(bench.calls.splice(0), ["tenants leads"]);
    assert.equal(bench.server.holder, "me");
    assert.equal(bench.manager.isLeading, true);
    bench.stop.abort(new Error("stop"));
    await bench.advance(10);

    assert.deepEqual(bench.outcome, {});
    assert.equal(bench.server.holder, "");
    assert.deepEqual(bench.calls, ["tenants is done", "tenants closes"]);
    assert.match(bench.server.requests.at(-1) ?? "", /^PUT .*leases/);
    assert.equal(bench.clock.pending, 0);
  });

  it("waits for the lease duration when the lease is missing, unless trustMissing is set", async () => {
    const bench = new Bench({ tenants: {} }, { leaderElection: { ...leaderElection, trustMissing: false } });
    bench.start();

    await bench.advance(14_000);
    assert.equal(bench.manager.isLeading, false);
    await bench.advance(3_000);

    assert.equal(bench.manager.isLeading, true);
    bench.stop.abort();
    await bench.advance(10);
    assert.deepEqual(bench.outcome, {});
  });

  it("aborts its work when the lease is lost, and leads again later without exiting", async () => {
    const reasons: unknown[] = [];
    const bench = new Bench(
      {
        tenants: {
          lead: async ({ abort }) => {
            await untilAborted(abort);
            reasons.push(abort.reason);
          },
        },
      },
      { leaderElection },
    );
    bench.start();
    await bench.advance(10);
    assert.equal(bench.manager.isLeading, true);

    bench.server.lease = heldBy("other", bench.server.lease);
    await bench.advance(3_000);

    assert.equal(bench.manager.isLeading, false);
    assert.ok(reasons[0] instanceof LeadershipLostError);
    assert.equal(bench.outcome, undefined);
    assert.match(bench.ready, /readyz check passed/, "a standby is ready");
    await bench.advance(20_000);
    assert.equal(bench.manager.isLeading, true);
    assert.equal(bench.calls.filter((line) => line === "tenants opens").length, 1, "its caches stayed synced");
    bench.stop.abort();
    await bench.advance(11_000);
    assert.deepEqual(bench.outcome, {});
  });

  it("lets controllers write only while it leads, and sends the reconcile ID with requests", async () => {
    const bench = new Bench({ tenants: {} }, { leaderElection });
    bench.server.lease = heldBy("other");
    bench.start();
    await bench.advance(10);
    const [parts] = bench.parts;
    assert.ok(parts !== undefined);
    const write = (): Promise<unknown> =>
      parts.client.create(widget("tenants"), {
        apiVersion: "example.com/v1",
        kind: "Any",
        metadata: { name: "a", namespace: "b" },
      });

    await assert.rejects(write(), { code: "FENCED" });
    await bench.advance(20_000);
    await parts.correlation?.within({ id: "reconcile-1", controller: "tenants", key: "a/b" }, write);

    assert.deepEqual(bench.server.auditIds, ["reconcile-1"]);
    bench.stop.abort();
    await bench.advance(10);
    await assert.rejects(write(), { code: "FENCED" });
  });

  it("logs an unhandled rejection with its controller, releases the lease and fails", async () => {
    const bench = new Bench({ tenants: {} }, { leaderElection });
    bench.start();
    await bench.advance(20_000);
    const leader = bench.server.holder;
    const error = new Error("forgotten");

    bench.parts[0]?.correlation?.within({ id: "reconcile-1", controller: "tenants", key: "a/b" }, () =>
      bench.manager.crash("unhandledRejection", error),
    );
    await bench.advance(1000);

    assert.equal(leader, "me");
    assert.equal(bench.server.holder, "");
    assert.equal(codeOf(bench), "PART_FAILED");
    assert.deepEqual(bench.log.lines, ["error Unhandled promise rejection, stopping", "warn Leadership ended"]);
    assert.deepEqual(bench.log.fields[0], { controller: "tenants", key: "a/b", reconcileID: "reconcile-1", error });
  });

  it("does not release the lease while a part is still running", async () => {
    const bench = new Bench(
      { tenants: { lead: () => new Promise(() => undefined) } },
      { leaderElection, graceMs: 500 },
    );
    bench.start();
    await bench.advance(10);

    bench.stop.abort();
    await bench.advance(4_000);

    assert.equal(codeOf(bench), "PART_STUCK");
    assert.equal(bench.server.holder, "me");
  });

  it("ends within seconds when the API server is unreachable", async () => {
    const bench = new Bench({ tenants: {} }, { leaderElection });
    bench.start();
    await bench.advance(10);

    bench.server.isDown = true;
    bench.stop.abort();
    await bench.advance(15_000);

    assert.deepEqual(bench.outcome, {});
    assert.equal(bench.clock.pending, 0);
  });
});

describe("a manager's preflight", () => {
  it("delays a controller without permission until it is granted, and starts the others", async () => {
    const bench = new Bench(
      { tenants: {}, orders: {} },
      { env: { POD_NAME: "bench-0", POD_NAMESPACE: "system", POD_UID: "u" } },
    );
    bench.server.denied.add("watch example.com/tenants");
    bench.start();
    await bench.advance(100);

    assert.deepEqual(bench.calls.splice(0), ["orders opens", "orders leads"]);
    assert.match(bench.ready, /\[-\]controller\/tenants degraded: no permission to watch tenants.example.com\n/);
    assert.match(bench.ready, /\[\+\]controller\/orders ok/);
    assert.match(
      bench.manager.registry.expose(),
      /homeostat_controller_degraded\{controller="tenants",reason="access"\} 1/,
    );
    assert.deepEqual(bench.log.fields[0], {
      part: "controller/tenants",
      missing: "no permission to watch tenants.example.com",
      rules: '# ClusterRole\n- apiGroups: ["example.com"]\n  resources: ["tenants"]\n  verbs: ["watch"]',
    });
    assert.deepEqual(
      bench.server.events.map(({ reason, note }) => [reason, note]),
      [["Degraded", "Waiting to start controller/tenants: no permission to watch tenants.example.com."]],
    );
    await bench.advance(100_000);
    assert.equal(bench.log.lines.length, 1, "logged once");
    bench.server.denied.clear();
    await bench.advance(300_000);

    assert.deepEqual(bench.calls, ["tenants opens", "tenants leads"]);
    assert.match(bench.ready, /readyz check passed/);
    assert.match(
      bench.manager.registry.expose(),
      /homeostat_controller_degraded\{controller="tenants",reason="access"\} 0/,
    );
    bench.stop.abort();
    await bench.advance(10);
    assert.deepEqual(bench.outcome, {});
    assert.equal(bench.clock.pending, 0);
  });

  it("names a kind that the server does not serve, and the command that installs it", async () => {
    const command = "ghosts manifests --only crds | kubectl apply --server-side -f -";
    const bench = new Bench(
      { ghosts: {} },
      {
        env: { POD_NAME: "bench-0", POD_NAMESPACE: "system", POD_UID: "u" },
        preflight: { installCommand: ({ resource }) => (resource === "ghosts" ? command : undefined) },
      },
    );
    bench.start();
    await bench.advance(10);

    assert.match(bench.ready, /\[-\]controller\/ghosts degraded: ghosts.example.com\/v1 is not served/);
    assert.equal(bench.log.lines[0], "error Waiting for missing CRDs or permissions");
    assert.equal(bench.log.fields[0]?.["install"], command);
    assert.equal(
      bench.server.events[0]?.note,
      `Waiting to start controller/ghosts: ghosts.example.com/v1 is not served. Install with: ${command}`,
    );
    bench.stop.abort();
    await bench.advance(10);
    assert.deepEqual(bench.outcome, {});
  });

  it("starts parts with a warning when the check fails", async () => {
    const bench = new Bench({ tenants: {} });
    bench.server.isDown = true;
    bench.start();
    await bench.advance(1_000);
    assert.match(bench.ready, /\[-\]preflight failed: checking prerequisites/);

    await bench.advance(30_000);

    assert.deepEqual(bench.calls, ["tenants opens", "tenants leads"]);
    assert.ok(bench.log.lines.includes("warn Failed to check prerequisites, starting anyway"));
    bench.stop.abort();
    await bench.advance(10);
    assert.deepEqual(bench.outcome, {});
  });

  it("logs a missing namespace of the lease once with the command that creates it, and leads when it exists", async () => {
    const bench = new Bench({ tenants: {} }, { leaderElection, namespaceSetting: "--namespace" });
    bench.server.isNamespaceMissing = true;
    bench.start();
    await bench.advance(10_000);
    const early = [...bench.log.lines];
    for (let i = 0; i < 5; i += 1) await bench.advance(10_000);
    const later = bench.log.lines.length;
    bench.server.isNamespaceMissing = false;
    await bench.advance(4_000);

    assert.deepEqual(early, ["error Namespace of this program does not exist, retrying"]);
    assert.deepEqual(bench.log.fields[0], {
      namespace: "system",
      neededFor: "Lease bench",
      create: "kubectl create namespace system",
      setting: "--namespace",
    });
    assert.equal(later, 3, "10 s and 30 s later");
    assert.equal(bench.server.holder, "me");
    bench.stop.abort();
    await bench.advance(10);
    assert.deepEqual(bench.outcome, {});
  });

  it("reports missing permissions for the lease, and keeps trying", async () => {
    const bench = new Bench({ tenants: {} }, { leaderElection });
    bench.server.denied.add("update coordination.k8s.io/leases");
    bench.start();
    await bench.advance(10);

    assert.match(
      bench.ready,
      /\[-\]preflight degraded: leader election: no permission to update leases.coordination.k8s.io named bench in system/,
    );
    bench.stop.abort();
    await bench.advance(10);
    assert.deepEqual(bench.outcome, {});
  });
});

describe("a manager whose API server is unreachable", () => {
  it("logs that once for its informers, election and preflight, and then at growing intervals", async () => {
    const informers: Disposable[] = [];
    const open = (): void => {
      const [parts] = bench.parts;
      assert.ok(parts !== undefined);
      for (const plural of ["a", "b", "c", "d", "e"]) informers.push(parts.cache.informer(widget(plural)));
    };
    const leaderElection = { namespace: "system", identity: "me" };
    const bench = new Bench({ tenants: { open, ready: untilAborted } }, { leaderElection });
    bench.server.isDown = true;
    bench.start();
    await bench.advance(0);
    const atOnce = [...bench.log.lines];

    for (let second = 0; second < 60; second += 1) await bench.advance(1000);

    assert.deepEqual(atOnce, ["warn API server unreachable, retrying"]);
    const later = bench.log.lines.filter((line) => !line.startsWith("warn Failed to check prerequisites"));
    assert.equal(informers.length, 5);
    assert.equal(later.length, 5, later.join("\n"));
    assert.deepEqual([...new Set(later.slice(1))], ["warn API server still unreachable"]);
    for (const informer of informers) informer[Symbol.dispose]();
    bench.stop.abort();
    await bench.advance(20_000);
  });
});

function codeOf({ outcome }: Bench): string {
  return (outcome as { error: { code: string } }).error.code;
}

function heldBy(holderIdentity: string, lease?: Record<string, unknown>): Record<string, unknown> {
  const metadata = { name: "bench", namespace: "system", resourceVersion: "900" };
  const spec = { holderIdentity, leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", ...lease, metadata, spec };
}
