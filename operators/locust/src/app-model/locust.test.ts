import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type ModelContainer, modelContainer, Network, type RunningProgram } from "@homeostat/cluster/app-model";
import { FakeClock } from "@homeostat/core";
import { isSlow } from "@homeostat/fuzz/is-slow";
import { eventually } from "@homeostat/operator-testing";
import { parseArguments, parseTimespan } from "./arguments.ts";
import { Load, roundResponse } from "./load.ts";
import { locustModel } from "./locust.ts";
import { targetsOf, userClassOf } from "./targets.ts";

const image = "locustio/locust:2.47.0";

interface Process extends ModelContainer {
  readonly program: RunningProgram;
}

/** A master and its workers in one namespace, with a Service that selects the master. */
class Swarm {
  readonly clock = new FakeClock();
  readonly network = new Network();
  #pods = 0;

  constructor() {
    this.network.addDirectory({
      list: () => [
        {
          namespace: "default",
          name: "lm",
          clusterIPs: ["10.96.0.1"],
          selector: { role: "master" },
          ports: [{ port: 5557, targetPort: 5557 }],
        },
      ],
    });
  }

  start(args: readonly string[], options: Readonly<Record<string, number>> = {}): Process {
    this.#pods += 1;
    const name = `pod-${this.#pods}`;
    const ip = `10.0.0.${this.#pods + 1}`;
    const labels = args.includes("--master") ? { role: "master" } : {};
    this.network.setPod(name, {
      namespace: "default",
      name,
      hostname: "",
      subdomain: "",
      ip,
      labels,
      isReady: true,
      ports: new Map(),
    });
    const bench = modelContainer(
      { image, args },
      { clock: this.clock, network: this.network, options, pod: { name, ip, labels } },
    );
    return { ...bench, program: locustModel.start(bench.context) };
  }

  async send({ context }: Process, path: string, init: RequestInit = {}): Promise<Response> {
    const { host, port } = await eventually(() => this.network.addressOf(context.pod.ip, 8089));
    return fetch(`http://${host}:${port}${path}`, init);
  }

  async stats(master: Process): Promise<Stats> {
    return (await (await this.send(master, "/stats/requests")).json()) as Stats;
  }
}

interface Stats {
  state: string;
  user_count: number;
  worker_count: number;
  fail_ratio: number;
  workers: { id: string; state: string; user_count: number }[];
  stats: { name: string; num_requests: number; num_failures: number }[];
}

const worker = ["--worker", "--master-host=lm"];
const automatic = [
  "-u",
  "6",
  "-r",
  "2",
  "-t",
  "20s",
  "-H",
  "http://shop",
  "--master",
  "--expect-workers=2",
  "--autostart",
  "--autoquit",
  "8",
];

describe("a simulated Locust master and its workers", () => {
  it("starts the load when all workers are connected, stops it at --run-time, and exits with its workers after --autoquit", async () => {
    const swarm = new Swarm();
    const master = swarm.start(automatic);
    const first = swarm.start(worker);
    await swarm.clock.advance(3_000);
    assert.equal((await swarm.stats(master)).state, "ready", "one worker is not enough");
    const second = swarm.start(worker);

    await swarm.clock.advance(1_500);
    const spawning = await swarm.stats(master);
    assert.deepEqual([spawning.state, spawning.worker_count], ["spawning", 2]);
    await swarm.clock.advance(10_000);
    const running = await swarm.stats(master);
    assert.deepEqual(
      [running.state, running.user_count, running.workers.map(({ state, user_count }) => [state, user_count])],
      [
        "running",
        6,
        [
          ["running", 3],
          ["running", 3],
        ],
      ],
    );
    await swarm.clock.advance(15_000);
    const stopped = await swarm.stats(master);
    assert.deepEqual([stopped.state, stopped.user_count, stopped.stats.at(-1)?.name], ["stopped", 0, "Aggregated"]);
    assert.equal(stopped.stats.at(-1)?.num_requests, 116, "6 users for 20 seconds, fewer while they are spawned");
    assert.deepEqual(master.exits, []);
    await swarm.clock.advance(8_000);

    assert.deepEqual(
      [master.exits, first.exits, second.exits],
      [[{ exitCode: 0 }], [{ exitCode: 0 }], [{ exitCode: 0 }]],
    );
    assert.match(master.printed.join("\n"), /locust\.main: Shutting down \(exit code 0\)/);
    assert.equal(swarm.clock.pending, 0);
  });

  it("exits with code 1 when requests failed", async () => {
    const swarm = new Swarm();
    const master = swarm.start(["--headless", "-u", "10", "-r", "10", "-t", "5"], { failRatio: 0.5 });
    await swarm.clock.advance(6_000);

    assert.deepEqual(master.exits, [{ exitCode: 1 }]);
    assert.match(master.printed.join("\n"), /Error report/);
  });

  it("exits immediately when --autoquit is set without --autostart", () => {
    const { exits, printed } = new Swarm().start(["--master", "--autoquit", "5"]);

    assert.deepEqual(
      [exits, printed],
      [[{ exitCode: 1 }], ["--autoquit is only meaningful in combination with --autostart"]],
    );
  });

  it("is started, changed, stopped and reset over its web API", async () => {
    const swarm = new Swarm();
    const master = swarm.start(["--master", "-H", "http://shop"]);
    const one = swarm.start(worker);
    await swarm.clock.advance(1_000);
    const post = async (path: string, body = ""): Promise<unknown> => {
      const response = await swarm.send(master, path, { method: "POST", body: new URLSearchParams(body) });
      return (response.headers.get("content-type") ?? "").includes("json") ? response.json() : response.text();
    };

    assert.deepEqual(await post("/swarm", "user_count=x"), {
      host: "http://shop",
      message: "Invalid user_count value: 'x' (must be an integer)",
      success: false,
    });
    assert.deepEqual(await post("/swarm", "user_count=4&spawn_rate=2&run_time=5m"), {
      host: "http://shop",
      message: "Swarming started",
      run_time: 300,
      success: true,
    });
    await swarm.clock.advance(5_000);
    assert.equal((await swarm.stats(master)).state, "running");
    assert.deepEqual(await post("/stop"), { message: "Test stopped", success: true });
    assert.equal((await swarm.stats(master)).state, "stopped");
    assert.equal(await post("/stats/reset"), "ok");
    assert.equal((await swarm.stats(master)).stats.at(-1)?.num_requests, 0);
    assert.equal((await swarm.send(master, "/stop")).status, 405, "Locust 2.47 and later require POST");
    assert.equal((await swarm.send(master, "/nope")).status, 404);
    master.program.kill();
    one.program.kill();
  });

  it("accepts GET instead of POST for /stop before version 2.47", async () => {
    const { context } = modelContainer({ image: "locustio/locust:2.46.3", args: ["--autostart"] });
    const program = locustModel.start(context);
    const { host, port } = await eventually(() => context.network.addressOf("10.0.0.2", 8089));
    const status = async (method: string): Promise<number> =>
      (await fetch(`http://${host}:${port}/stop`, { method })).status;

    assert.deepEqual([await status("GET"), await status("POST")], [200, 405]);
    program.kill();
  });

  it("serves its statistics as CSV", async () => {
    const swarm = new Swarm();
    const master = swarm.start(["--autostart", "-u", "1"], { failRatio: 0.5 });
    await swarm.clock.advance(10_000);
    const lines = (await (await swarm.send(master, "/stats/requests/csv")).text()).trimEnd().split("\n");

    assert.match(lines[0] ?? "", /^Type,Name,Request Count,Failure Count,/);
    assert.match(lines[1] ?? "", /^GET,\/,10,5,20,/);
    assert.match(lines[2] ?? "", /^,Aggregated,10,5,/);
    assert.match(
      await (await swarm.send(master, "/stats/failures/csv")).text(),
      /^Method,Name,Error,Occurrences,First Seen,Last Seen\nGET,\//,
    );
    assert.equal(await (await swarm.send(master, "/exceptions/csv")).text(), "Count,Message,Traceback,Nodes\n");
    master.program.kill();
  });

  it("detects workers that are killed and workers that quit", async () => {
    const swarm = new Swarm();
    const master = swarm.start(["--master", "--autostart", "--expect-workers", "2", "-u", "4", "-r", "4"]);
    const [first, second] = [swarm.start(worker), swarm.start(worker)];
    await swarm.clock.advance(3_000);
    first.program.kill();
    await swarm.clock.advance(4_000);
    const after = await swarm.stats(master);
    assert.deepEqual([after.worker_count, after.workers.map(({ state }) => state)], [1, ["missing", "running"]]);

    second.program.terminate();
    await swarm.clock.advance(1_000);

    assert.equal((await swarm.stats(master)).state, "stopped");
    assert.match(master.printed.at(-1) ?? "", /The last worker quit, stopping test\.$/);
    master.program.terminate();
    assert.deepEqual(master.exits, [{ exitCode: 0 }]);
  });

  it("has workers that exit after five minutes without a master", async () => {
    const swarm = new Swarm();
    const lonely = swarm.start(["--worker", "--master-host=missing"]);
    await swarm.clock.advance(310_000);

    assert.deepEqual(lonely.exits, [{ exitCode: 1 }]);
  });
});

describe("Load", () => {
  const shape = { requestsPerUser: 1, failRatio: 0.25, responseMs: 20, targets: targetsOf(undefined) };

  it("counts requests that never decrease and never exceed what the users can send", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 20 }),
        (users, rate, steps) => {
          const load = new Load(shape);
          load.start(users, rate, 0);
          let [time, before] = [0, 0];
          for (const step of steps) {
            time += step;
            const [row] = load.rows(time);
            const requests = row?.requests ?? 0;
            assert.ok(requests >= before && requests - before <= users * (step / 1_000) + 1);
            assert.ok((row?.failures ?? 0) <= requests);
            assert.ok(load.users(time) <= users);
            before = requests;
          }
          load.stop(time);
          assert.equal(load.rows(time + 60_000)[0]?.requests ?? 0, before);
        },
      ),
    );
  });

  it("rounds response times as Locust does", () => {
    assert.deepEqual([7.4, 147, 3_432, 58_760].map(roundResponse), [7, 150, 3_400, 58_800]);
  });

  it("takes its targets from the locustfile", () => {
    const file =
      'class Shop(HttpUser):\n  def a(self):\n    self.client.get("/")\n    self.client.post("/cart", json={}, name="cart")\n    self.client.get("/")\n';

    assert.deepEqual(targetsOf(file), [
      { method: "GET", name: "/" },
      { method: "POST", name: "cart" },
    ]);
    assert.equal(userClassOf(file), "Shop");
    const hostile = `.client.get("${"a".repeat(150)}" ${"(".repeat(1_000)}`.repeat(100);
    assert.ok(!isSlow(() => targetsOf(hostile)));
  });
});

describe("parseArguments", () => {
  it("parses all forms of flags, which override the environment", () => {
    const env = new Map([
      ["LOCUST_USERS", "9"],
      ["LOCUST_HEADLESS", "true"],
      ["LOCUST_SPAWN_RATE", "5"],
    ]);
    const read = parseArguments(
      ["locust", "-u", "3", "--run-time=1h30m", "--host", "http://x", "--only-summary", "-P", "9000", "--unknown-flag"],
      env,
    );

    assert.deepEqual(
      [read.users, read.spawnRate, read.runTimeSeconds, read.host, read.webPort, read.isHeadless, read.role],
      [3, 5, 5_400, "http://x", 9_000, true, "single"],
    );
  });

  it("parses time spans in Locust's format", () => {
    assert.deepEqual(["300", "20s", "3m", "1h20m", "x", "", "1x"].map(parseTimespan), [
      300,
      20,
      180,
      4_800,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
