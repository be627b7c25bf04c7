// Runs one suite on the embedded and on the real API server.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { reasonToSkip } from "./cluster.ts";
import { noteSuite } from "./suite-costs.ts";
import { startEmbeddedServer, startRealServer, type TestServer, type TestServerOptions } from "./test-server.ts";

/** An API server that a suite runs on. */
export interface Subject {
  readonly name: "embedded" | "real";
  readonly start: (options?: TestServerOptions) => Promise<TestServer>;
}

interface Cost {
  readonly wallMs: number;
  /** CPU time of this process and of the server. Processes started by the suite do the same work on both. */
  readonly cpuMs: number;
}

/**
 * Declares a suite twice, for the embedded and the real API server, and compares their costs.
 *
 * The test compares CPU time, which hardly depends on other load, and also prints wall time. When all suites of the runtime
 * have run, their total wall times are printed. Much of that is waiting for leases to expire, which takes equally long on both.
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
  it(`${what} costs no more on the embedded API server than on the real one`, { skip }, (t) => {
    const [ours, theirs] = [costs.get("embedded"), costs.get("real")];
    if (ours === undefined || theirs === undefined || Number.isNaN(theirs.cpuMs))
      return t.skip("the suite did not run on both servers");
    const summary = [
      `${what}:`,
      compared("took", ours.wallMs, theirs.wallMs),
      compared("CPU", ours.cpuMs, theirs.cpuMs),
    ];
    process.stderr.write(`${summary.join(" ")}\n`);

    assert.ok(ours.cpuMs < theirs.cpuMs * tolerance, summary.join(" "));
    const all = noteSuite(what, { embedded: ours.wallMs, real: theirs.wallMs });
    if (all === undefined) return;
    process.stderr.write(`all runtime suites together ${compared("took", all.embedded, all.real)}\n`);
  });
}

/** Upper bound for the noise between two equal runs on a busy machine. */
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
