import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { parseDrain, parseQuorum, parseRestartCheck } from "../component/parse.ts";
import { readStubConfig, readToml } from "./config.ts";
import { StubNode, type StubResponse } from "./stub-node.ts";

interface Stub {
  readonly node: StubNode;
  readonly clock: FakeClock;
  /** Sends a request; undefined if the stub does not respond. */
  readonly send: (line: string, body?: unknown, apiKey?: string) => Promise<StubResponse | undefined>;
}

function stub(
  role: string,
  {
    env = {},
    toml = "",
    volume = new Map<string, string>(),
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly toml?: string;
    readonly volume?: Map<string, string>;
  } = {},
): Stub {
  const clock = new FakeClock();
  const variables = new Map(Object.entries({ CHRONIK_ROLE: role, POD_NAME: "c-0", CHRONIK_CLUSTER_NAME: "c", ...env }));
  const members = { voters: [{ id: 1, name: "c-0", address: "c-0:9090" }] };
  const files = new Map([
    ["/etc/chronik/config/c-0.toml", `node_id = 1\nbootstrap = true\n${toml}`],
    ["/etc/chronik/config/members.json", JSON.stringify(members)],
  ]);
  const peers = { send: async () => undefined };
  const node = new StubNode({
    config: readStubConfig(variables, files),
    volume,
    peers,
    clock,
    random: new SeededRandom(1),
  });
  node.start();
  return {
    node,
    clock,
    send: async (line, body, apiKey) => {
      const [method = "", path = ""] = line.split(" ");
      const response = node.respond({ method, path, body: body === undefined ? "" : JSON.stringify(body), apiKey });
      return Promise.race([response, new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)))]);
    },
  };
}

describe("a stub of an ingest node", () => {
  it("drains within seconds, keeps the state on its volume, and cancels", async () => {
    const volume = new Map<string, string>();
    const { send, clock, node } = stub("ingest", { volume });
    const state = async (one = send): Promise<unknown> => {
      const parsed = parseDrain((await one("GET /drain"))?.body ?? "");
      return parsed.type === "response" && parsed.value;
    };
    assert.deepEqual(await state(), { state: "idle", partitions: 6 });

    await send("POST /drain");
    await clock.advance(1_000);
    assert.deepEqual(await state(), { state: "draining", partitions: 3 });
    node.stop();
    const restarted = stub("ingest", { volume });
    await restarted.clock.advance(1_000);
    assert.deepEqual(await state(restarted.send), { state: "drained", partitions: 0 });
    await restarted.send("DELETE /drain");
    assert.deepEqual(await state(restarted.send), { state: "idle", partitions: 0 });
    restarted.node.stop();
  });

  it("never drains on request", async () => {
    const { send, clock, node } = stub("ingest");
    await send("POST /misbehave", { neverDrain: true });
    await send("POST /drain");
    await clock.advance(60_000);

    assert.match((await send("GET /drain"))?.body ?? "", /"draining","partitions":6/);
    await send("POST /misbehave", { neverDrain: false });
    await clock.advance(2_000);
    assert.match((await send("GET /drain"))?.body ?? "", /"drained"/);
    node.stop();
  });

  it("reports that a restart is not safe on request", async () => {
    const { send, node } = stub("ingest", { toml: '[extra]\nmisbehave = "unsafeToRestart"\n' });
    const parsed = parseRestartCheck((await send("GET /restart-check"))?.body ?? "");

    assert.ok(parsed.type === "response" && !parsed.value.safe && parsed.value.reason !== "");
    node.stop();
  });

  it("offers no quorum, and a search node no contract", async () => {
    const ingest = stub("ingest");
    const search = stub("search");

    assert.equal((await ingest.send("GET /quorum"))?.status, 404);
    assert.equal((await search.send("GET /drain"))?.status, 404);
    assert.equal((await search.send("GET /readyz"))?.status, 200);
    ingest.node.stop();
    search.node.stop();
  });
});

describe("a stub of a controller", () => {
  it("is ready only when it votes", async () => {
    const { send, clock, node } = stub("controller");
    assert.equal((await send("GET /readyz"))?.status, 503);
    await clock.advance(10_000);

    assert.equal((await send("GET /readyz"))?.status, 200);
    const parsed = parseQuorum((await send("GET /quorum"))?.body ?? "", 1);
    assert.ok(parsed.type === "response" && parsed.value.leaderId === 1 && parsed.value.voters.length === 1);
    node.stop();
  });

  it("checks the API key on the contract, but not on probes", async () => {
    const { send, node } = stub("controller", { env: { CHRONIK_ADMIN_API_KEY: "key" } });

    assert.equal((await send("GET /quorum"))?.status, 401);
    assert.equal((await send("GET /quorum", undefined, "key"))?.status, 200);
    assert.equal((await send("GET /healthz"))?.status, 200);
    node.stop();
  });

  it("refuses incomplete changes of the voters", async () => {
    const { send, clock, node } = stub("controller");
    await clock.advance(10_000);

    assert.equal((await send("POST /members/add", { id: 2 }))?.status, 400);
    assert.equal((await send("POST /members/add", { id: 2, incarnation: "x" }))?.status, 400);
    assert.equal((await send("POST /members/remove", { id: 9, incarnation: "x" }))?.status, 200);
    assert.equal((await send("POST /nothing"))?.status, 404);
    node.stop();
  });

  const cases: readonly (readonly [string, (response: StubResponse | undefined) => boolean])[] = [
    ["hang", (response) => response === undefined],
    ["garbage", (response) => parseQuorum(response?.body ?? "", 1).type === "malformed"],
    ["noContract", (response) => response?.status === 404],
    [
      "lieAboutQuorum",
      (response) => {
        const parsed = parseQuorum(response?.body ?? "", 1);
        return parsed.type === "response" && parsed.value.term > 100;
      },
    ],
  ];
  for (const [name, isExpected] of cases) {
    it(`misbehaves by ${name}, and stays alive`, async () => {
      const { send, clock, node } = stub("controller", { env: { CHRONIK_MISBEHAVE: name } });
      await clock.advance(10_000);

      assert.ok(isExpected(await send("GET /quorum")));
      assert.equal((await send("GET /healthz"))?.status, 200);
      node.stop();
    });
  }

  it("comes back empty on request", async () => {
    const volume = new Map<string, string>([
      ["quorum.json", '{"incarnation":"kept","term":1,"list":{"index":1,"term":1,"voters":[]}}'],
    ]);
    const kept = stub("controller", { volume });
    const incarnation = kept.node.quorum?.identity.incarnation;
    kept.node.stop();
    const empty = stub("controller", { volume, env: { CHRONIK_MISBEHAVE: "comeBackEmpty" } });

    assert.equal(incarnation, "kept");
    assert.notEqual(empty.node.quorum?.identity.incarnation, "kept");
    empty.node.stop();
  });

  it("is never ready on request", async () => {
    const { send, clock, node } = stub("controller", { env: { CHRONIK_MISBEHAVE: "neverReady,unknown" } });
    await clock.advance(10_000);

    assert.equal((await send("GET /readyz"))?.status, 503);
    node.stop();
  });
});

describe("readToml", () => {
  it("reads tables, quoted keys, strings, numbers, booleans and comments", () => {
    const text = 'a = 1 # one\nb = "x # y \\"z\\"" # text\n[t]\nc = true\nd = [1, 2]\n"e.f" = "g"\nnot a line\n';

    assert.deepEqual(
      [...readToml(text)],
      [
        ["a", "1"],
        ["b", 'x # y "z"'],
        ["t.c", "true"],
        ["t.d", "[1, 2]"],
        ["t.e.f", "g"],
      ],
    );
  });
});
