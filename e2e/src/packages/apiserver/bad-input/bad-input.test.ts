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
import { type Access, exchange, type Outcome, readAnswer, type Sent, shown } from "./exchange.ts";
import { framing } from "./framing.ts";
import { badRequest } from "./generate.ts";
import { differencesMax, knownDifferences } from "./known-differences.ts";

const skip = await reasonToSkip({ need: "apiserver" });
/** Longer than any answer takes on a busy machine. */
const waitMs = 20_000;

describe("bad input beside a real server", { skip }, () => {
  let servers: BothServers;

  before(async () => {
    servers = await bothServers();
    for (const access of [servers.real, servers.embedded])
      for (const shape of preparations) assert.match(shown(await exchange(access, shape, waitMs)), /^201 /);
    await Promise.all([servers.real, servers.embedded].map(untilServed));
  });

  after(() => servers?.[Symbol.asyncDispose]());

  /** Returns the responses of both. Where a client hangs up, the real server may or may not respond before it notices. */
  async function answersTo(shape: Sent): Promise<[theirs: Outcome, ours: Outcome]> {
    for (let tries = 1; ; tries += 1) {
      const [theirs, ours] = await Promise.all([
        exchange(servers.real, shape, waitMs),
        exchange(servers.embedded, shape, waitMs),
      ]);
      if (shape.ends !== true || tries >= 5 || isAlike(shape, theirs, ours)) return [theirs, ours];
    }
  }

  const shapes = [...framing, ...contents];
  it(`is answered alike, ${shapes.length} shapes of it`, async () => {
    const problems: string[] = [];
    const differing = new Set<string>();
    for (const shape of shapes) {
      const [theirs, ours] = await answersTo(shape);
      if (isAlike(shape, theirs, ours)) continue;
      differing.add(shape.name);
      if (!knownDifferences.has(shape.name))
        problems.push(`${shape.name}\n  real: ${short(normal(theirs))}\n  ours: ${short(normal(ours))}`);
    }

    const outdated = [...knownDifferences.keys()].filter((name) => !differing.has(name));
    assert.equal(problems.join("\n\n"), "");
    assert.deepEqual(outdated, [], "they are alike now: take them from the list");
    assert.ok(knownDifferences.size <= differencesMax);
  });
});

/**
 * Reports whether two responses are the same. When a client hangs up in the middle of its body, the real server cancels the request: a
 * busy machine sends the 504 of the cancelled request, a fast one closes the connection first.
 */
function isAlike({ ends }: Sent, theirs: Outcome, ours: Outcome): boolean {
  if (normal(theirs) === normal(ours)) return true;
  return ends === true && normal(theirs).startsWith("504") && normal(ours) === "closed";
}

const count = volume({ sample: 2_500, full: 10_000 }, "HOMEOSTAT_MALFORMED");
const lanes = 8;
const answerMsMax = 1_000;

describe("bad input", () => {
  let embedded: Embedded;

  before(async () => {
    embedded = await startEmbedded();
    for (const shape of preparations) assert.match(shown(await exchange(embedded.access, shape, waitMs)), /^201 /);
    await untilServed(embedded.access);
  });

  // Fails when anything was answered with an error of the server's own making.
  after(() => embedded?.stop());

  it("of every shape is refused in less than a second, and leaves nothing behind", async () => {
    const before = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));

    for (const shape of [...framing, ...contents]) await checkOne(embedded.access, shape, shape.name);

    assert.equal(JSON.stringify(Object.getOwnPropertyNames(Object.prototype)), before);
    assert.equal((await normalRequest(embedded.access)).status, 200);
  });

  it(`made by chance, ${count} times, is refused or closed, and leaves nothing behind`, async () => {
    const { access, server } = embedded;
    const before = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));
    await sendMany(access, 300, 7);
    const heapBefore = heapUsed();
    const objectsBefore = server.store.size;

    await sendMany(access, count, 1);

    const { status, ms } = await normalRequest(access);
    assert.equal(status, 200);
    assert.ok(ms < answerMsMax, `${ms.toFixed(0)} ms`);
    assert.equal(JSON.stringify(Object.getOwnPropertyNames(Object.prototype)), before);
    // Some of them are good after all, and make an object.
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
 * Sends one and checks what comes. The server is in this process: on a busy machine, what counts is the time of the processor,
 * and a slow one is sent again.
 */
async function checkOne(access: Access, sent: Sent, name: string): Promise<void> {
  let outcome: Outcome = await exchange(access, sent, waitMs);
  for (let again = 0; timeOf(outcome) > answerMsMax && again < 3; again += 1)
    outcome = await exchange(access, sent, waitMs);
  const isHttp1 = sent.over === undefined || sent.over === "http/1.1";
  const [piece = ""] = sent.pieces;
  const about = `${name}: ${JSON.stringify(Buffer.from(piece).toString("latin1").slice(0, 300))}`;
  const { status, body } = readAnswer(outcome.bytes.toString("utf8"));
  if (isHttp1) {
    // A request that is not whole is waited for, as the real server does.
    const isWaitedFor = outcome.end === "waits" && sent.ends !== true;
    assert.ok(isWaitedFor || timeOf(outcome) <= answerMsMax, `${timeOf(outcome).toFixed(0)} ms for ${about}`);
    // The real server has a few of these, too; but none may come from a failure that nobody foresaw.
    if (status === 500) assert.match(body, /"kind":"Status".*"message":"(?!This request caused)/, about);
  } else assert.notEqual(outcome.end, "waits", about);
}

function timeOf({ ms, cpuMs }: Outcome): number {
  return Math.min(ms, cpuMs);
}

async function normalRequest(access: Access): Promise<{ status: number; ms: number }> {
  const line = "GET /api/v1/namespaces/default HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const outcome = await exchange(access, { pieces: [line] }, waitMs);
  return { status: readAnswer(outcome.bytes.toString()).status, ms: timeOf(outcome) };
}

/** Waits until custom resources are served. */
async function untilServed(access: Access): Promise<void> {
  const path = "/apis/bad-input.example.com/v1/namespaces/default/things";
  const line = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  for (let left = 300; left > 0; left -= 1) {
    const { bytes } = await exchange(access, { pieces: [line] }, waitMs);
    if (readAnswer(bytes.toString()).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("custom resources are not served");
}

/** What differs from server to server taken out. */
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
