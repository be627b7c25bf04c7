// One suite, two servers.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { reasonToSkip } from "./cluster.ts";
import { noteSuite } from "./suite-costs.ts";
import { startEmbeddedServer, startRealServer, type TestServer, type TestServerOptions } from "./test-server.ts";

/** A server that a suite runs on. */
export interface Subject {
  readonly name: "embedded" | "real";
  readonly start: (options?: TestServerOptions) => Promise<TestServer>;
}

interface Cost {
  readonly wallMs: number;
  /** Of this process and of the server's. Processes that the suite starts do the same work for both. */
  readonly cpuMs: number;
}

/**
 * Declares a suite once for the embedded server and once for the real one, and then compares what they cost.
 *
 * The comparison of one suite that can fail is that of processor time, which does not depend on what else the machine does;
 * it also prints the time that passed. When the last suite of the runtime was run, their times together are printed: much of
 * them is waiting for leases to end, which takes as long on both.
 *
 * @example
 * await eachServer("the client", ({ start }) => {
 *   before(async () => (server = await start()));
 *   ...
 * });
 */
export async function eachServer(what: string, suite: (subject: Subject) => void): Promise<void> {
  const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;
  const costs = new Map<Subject["name"], Cost>();
  declare({ what, name: "embedded", skip: false, start: startEmbeddedServer, suite, costs });
  declare({ what, name: "real", skip, start: startRealServer, suite, costs });
  it(`${what} costs no more on the embedded server than on the real one`, { skip }, (t) => {
    const [ours, theirs] = [costs.get("embedded"), costs.get("real")];
    if (ours === undefined || theirs === undefined || Number.isNaN(theirs.cpuMs)) return t.skip("not both were run");
    const told = [`${what}:`, compared("took", ours.wallMs, theirs.wallMs), compared("CPU", ours.cpuMs, theirs.cpuMs)];
    process.stderr.write(`${told.join(" ")}\n`);

    assert.ok(ours.cpuMs < theirs.cpuMs * tolerance, told.join(" "));
    const all = noteSuite(what, { embedded: ours.wallMs, real: theirs.wallMs });
    if (all === undefined) return;
    process.stderr.write(`all suites of the runtime together ${compared("took", all.embedded, all.real)}\n`);
  });
}

/** Two runs of the same differ by less than this, even on a busy machine. */
const tolerance = 1.25;

interface Declaration extends Subject {
  readonly what: string;
  readonly skip: string | false;
  readonly suite: (subject: Subject) => void;
  readonly costs: Map<Subject["name"], Cost>;
}

function declare({ what, name, skip, start, suite, costs }: Declaration): void {
  describe(`${what} on the ${name} API server`, { skip }, () => {
    let beganMs = 0;
    let cpuBegan = process.cpuUsage();
    let serversMs = 0;
    before(() => {
      beganMs = performance.now();
      cpuBegan = process.cpuUsage();
    });
    const counted = async (options?: TestServerOptions): Promise<TestServer> => {
      const server = await start(options);
      const stop = async (): Promise<void> => {
        serversMs += server.cpuMs();
        await server.stop();
      };
      return { ...server, stop, [Symbol.asyncDispose]: stop };
    };
    suite({ name, start: counted });
    after(() => {
      const { user, system } = process.cpuUsage(cpuBegan);
      costs.set(name, { wallMs: performance.now() - beganMs, cpuMs: (user + system) / 1000 + serversMs });
    });
  });
}

function compared(word: string, oursMs: number, theirsMs: number): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return `${word} ${seconds(oursMs)} embedded, ${seconds(theirsMs)} real (${(oursMs / theirsMs).toFixed(2)})`;
}
