import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { SeededRandom } from "@homeostat/fuzz";
import { type BothServers, bothServers } from "../../../harness/both-servers.ts";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { type Embedded, startEmbedded } from "../../../harness/embedded.ts";
import { volume } from "../../../harness/volume.ts";
import { contents, preparations } from "./contents.ts";
import { type Access, exchange, type Outcome, parseResponse, type RawRequest, shown } from "./exchange.ts";
import { framing } from "./framing.ts";
import { badRequest } from "./generate.ts";
import { differencesMax, knownDifferences } from "./known-differences.ts";

const skip = await reasonToSkip({ need: "apiserver" });
/** Longer than any response takes on a busy machine. */
const waitMs = 20_000;

describe("malformed requests, compared with a real server", { skip }, () => {
  let servers: BothServers;

  before(async () => {
    servers = await bothServers();
    for (const access of [servers.real, servers.embedded])
      for (const shape of preparations) assert.match(shown(await exchange(access, shape, waitMs)), /^201 /);
    await Promise.all([servers.real, servers.embedded].map(untilServed));
  });

  after(() => servers?.[Symbol.asyncDispose]());

  /** Returns the responses of both servers. When a client disconnects, the real server may respond before it notices. */
  async function answersTo(shape: RawRequest): Promise<[theirs: Outcome, ours: Outcome]> {
    for (let tries = 1; ; tries += 1) {
      const [theirs, ours] = await Promise.all([
        exchange(servers.real, shape, waitMs),
        exchange(servers.embedded, shape, waitMs),
      ]);
      if (shape.ends !== true || tries >= 5 || isSameResponse(shape, theirs, ours)) return [theirs, ours];
    }
  }

  const shapes = [...framing, ...contents];
  it(`get the same response for ${shapes.length} shapes`, async () => {
    const problems: string[] = [];
    const differing = new Set<string>();
    for (const shape of shapes) {
      const [theirs, ours] = await answersTo(shape);
      if (isSameResponse(shape, theirs, ours)) continue;
      differing.add(shape.name);
      if (!knownDifferences.has(shape.name))
        problems.push(`${shape.name}\n  real: ${short(normal(theirs))}\n  ours: ${short(normal(ours))}`);
    }

    const outdated = [...knownDifferences.keys()].filter((name) => !differing.has(name));
    assert.equal(problems.join("\n\n"), "");
    assert.deepEqual(outdated, [], "these responses are equal now: remove them from the list");
    assert.ok(knownDifferences.size <= differencesMax);
  });
});

/**
 * Reports whether two responses are the same. When a client hangs up in the middle of its body, the real server cancels the request: a
 * busy machine sends the 504 of the cancelled request, a fast one closes the connection first.
 */
function isSameResponse({ ends }: RawRequest, theirs: Outcome, ours: Outcome): boolean {
  if (normal(theirs) === normal(ours)) return true;
  return ends === true && normal(theirs).startsWith("504") && normal(ours) === "closed";
}

const count = volume({ sample: 2_500, full: 10_000 }, "HOMEOSTAT_MALFORMED");
const lanes = 8;
const responseMsMax = 1_000;

describe("malformed requests", () => {
  let embedded: Embedded;

  before(async () => {
    embedded = await startEmbedded();
    for (const shape of preparations) assert.match(shown(await exchange(embedded.access, shape, waitMs)), /^201 /);
    await untilServed(embedded.access);
  });

  // Fails if any response was caused by an internal error.
  after(() => embedded?.stop());

  it("of every shape are rejected in less than a second and leak nothing", async () => {
    const before = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));

    for (const shape of [...framing, ...contents]) await checkOne(embedded.access, shape, shape.name);

    assert.equal(JSON.stringify(Object.getOwnPropertyNames(Object.prototype)), before);
    assert.equal((await normalRequest(embedded.access)).status, 200);
  });

  it(`made by random changes (${count} of them) are rejected or closed and leak nothing`, async () => {
    const { access, server } = embedded;
    const before = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));
    await sendMany(access, 300, 7);
    const heapBefore = heapUsed();
    const objectsBefore = server.store.size;

    await sendMany(access, count, 1);

    const { status, ms } = await normalRequest(access);
    assert.equal(status, 200);
    assert.ok(ms < responseMsMax, `${ms.toFixed(0)} ms`);
    assert.equal(JSON.stringify(Object.getOwnPropertyNames(Object.prototype)), before);
    // Some of them are valid after all and create an object.
    const objects = server.store.size - objectsBefore;
    const grown = heapUsed() - heapBefore;
    assert.ok(grown < (30 + objects / 100) * 1024 * 1024, `${grown} bytes more, with ${objects} objects more`);
    assert.equal(server.http.runningCount, 0);
  });
});

async function sendMany(access: Access, total: number, seed: number): Promise<void> {
  const chance = new SeededRandom(seed);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < total) {
      const n = next++;
      await checkOne(access, badRequest(chance, n), `number ${n} of seed ${seed}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/**
 * Sends one request and checks the response. The server runs in this process, so CPU time is measured instead of wall time, and
 * a slow request is repeated.
 */
async function checkOne(access: Access, sent: RawRequest, name: string): Promise<void> {
  let outcome: Outcome = await exchange(access, sent, waitMs);
  for (let again = 0; timeOf(outcome) > responseMsMax && again < 3; again += 1)
    outcome = await exchange(access, sent, waitMs);
  const isHttp1 = sent.over === undefined || sent.over === "http/1.1";
  const [piece = ""] = sent.pieces;
  const about = `${name}: ${JSON.stringify(Buffer.from(piece).toString("latin1").slice(0, 300))}`;
  const { status, body } = parseResponse(outcome.bytes.toString("utf8"));
  if (isHttp1) {
    // The server waits for the rest of an incomplete request, like the real server.
    const isWaitedFor = outcome.end === "waits" && sent.ends !== true;
    assert.ok(isWaitedFor || timeOf(outcome) <= responseMsMax, `${timeOf(outcome).toFixed(0)} ms for ${about}`);
    // The real server returns 500 for some requests, too; but none may come from an unexpected internal error.
    if (status === 500) assert.match(body, /"kind":"Status".*"message":"(?!This request caused)/, about);
  } else assert.notEqual(outcome.end, "waits", about);
}

function timeOf({ ms, cpuMs }: Outcome): number {
  return Math.min(ms, cpuMs);
}

async function normalRequest(access: Access): Promise<{ status: number; ms: number }> {
  const line = "GET /api/v1/namespaces/default HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const outcome = await exchange(access, { pieces: [line] }, waitMs);
  return { status: parseResponse(outcome.bytes.toString()).status, ms: timeOf(outcome) };
}

/** Waits until custom resources are served. */
async function untilServed(access: Access): Promise<void> {
  const path = "/apis/bad-input.example.com/v1/namespaces/default/things";
  const line = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  for (let left = 300; left > 0; left -= 1) {
    const { bytes } = await exchange(access, { pieces: [line] }, waitMs);
    if (parseResponse(bytes.toString()).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("custom resources are not served");
}

/** Removes what differs between servers. */
function normal(outcome: Outcome): string {
  return shown(outcome).replace(/127\.0\.0\.1:\d+/g, "<address>");
}

function short(text: string): string {
  return text.length > 500 ? `${text.slice(0, 250)} ... ${text.slice(-250)}` : text;
}

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") Reflect.apply(collect, undefined, []);
  return process.memoryUsage().heapUsed;
}
