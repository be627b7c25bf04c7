// A candidate that writes continuously while it leads. Every write creates an object that names the writer and its term, without
// a precondition, so only the fence prevents a late write.
//
// It is careless on purpose: it does not pass the signal of its term to its writes, and starts them without a check.

import { isIP } from "node:net";
import { createClient, FencedError, loadConnection } from "@homeostat/client";
import { systemClock, systemRandom } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { clientLeaseStore, elect, LeadershipLostError, type Term } from "@homeostat/runtime";
import {
  type CandidateOptions,
  durations,
  monotonicMs,
  type Report,
  writeGapMs,
  type SuspendDuringWrites,
  type TermReport,
} from "./protocol.ts";

const options = JSON.parse(process.argv[2] ?? "") as CandidateOptions;
const { identity, namespace, requestsMax, isFenced } = options;
const terms: TermReport[] = [];
const counts = { stored: 0, fenced: 0, failed: 0 };
const inFlight = new Set<Promise<void>>();
let current: Term | undefined;

const loaded = await loadConnection({ file: options.kubeconfig });
const { hostname } = new URL(loaded.server);
const connection = {
  ...loaded,
  server: options.server,
  // The certificate is the server's, also behind the proxy.
  tls: { ...loaded.tls, ...(isIP(hostname) === 0 ? { serverName: hostname } : {}) },
};
const leases = createClient(connection, { requestsMax: 4 });
const writer = createClient(connection, {
  requestsMax,
  retries: false,
  ...(isFenced ? { mayWrite: checkWrite } : {}),
});
const election = elect({
  ...durations,
  store: clientLeaseStore(leases, { name: "leader", namespace }),
  name: "leader",
  namespace,
  identity,
  clock: systemClock,
  random: systemRandom,
  // The Lease is not deleted here, and a first start that waits for a lease duration would make every test longer.
  trustMissing: true,
  lead,
  onState: (state) => {
    const last = terms.at(-1);
    if (state.at === "leading") {
      terms.push({ epoch: state.term.epoch, beganMs: monotonicMs(), lastAllowedMs: 0 });
    } else if (state.at === "stepping-down" && last !== undefined) {
      last.endedMs = monotonicMs();
      last.why = state.why;
    }
    report();
  },
});

const stop = new AbortController();
const leave = (): never => process.exit(3);
process.once("SIGTERM", () => stop.abort());
process.once("disconnect", leave);
process.on("message", ({ writes }: SuspendDuringWrites) => suspendDuringWrites(writes));
const reporting = setInterval(report, 50);

await election.run(stop.signal);

clearInterval(reporting);
report();
leases.close();
writer.close();
process.off("disconnect", leave);
process.disconnect();

function checkWrite(): void {
  election.checkWrite();
  const term = terms.at(-1);
  if (term !== undefined) term.lastAllowedMs = monotonicMs();
}

async function lead(term: Term): Promise<void> {
  current = term;
  for (let n = 0; n < options.connections; n += 1) void write(term);
  while (!term.signal.aborted) {
    void write(term);
    await systemClock.sleep(options.writeEveryMs, term.signal).catch((error: unknown) => {
      if (!(error instanceof LeadershipLostError)) throw error;
    });
  }
  // Waits for the responses of all writes: a pending one could be stored after the Lease was released.
  while (inFlight.size > 0) await Promise.all(inFlight);
}

function write({ epoch }: Term): Promise<void> {
  const sent = send(epoch).finally(() => inFlight.delete(sent));
  inFlight.add(sent);
  return sent;
}

async function send(epoch: number): Promise<void> {
  const metadata = { namespace, generateName: "write-" };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { writer: identity, epoch: String(epoch) } };
  try {
    await writer.create(ConfigMap, object as ConfigMap, { timeouts: { connectMs: writeGapMs, headersMs: writeGapMs } });
    counts.stored += 1;
  } catch (error) {
    if (error instanceof FencedError) counts.fenced += 1;
    else counts.failed += 1;
  }
}

/** Stops this process when one write has a response, some are in flight and the others are queued. */
function suspendDuringWrites(writes: number): void {
  const term = current;
  if (term === undefined) return;
  const sent = Array.from({ length: writes }, () => write(term));
  void sent[0]?.then(() => process.kill(process.pid, "SIGSTOP"));
}

function report(): void {
  if (!process.connected) return;
  const { state } = election;
  const holder = state.at === "standing-by" ? state.holder : undefined;
  process.send?.({ at: state.at, ...(holder === undefined ? {} : { holder }), terms, ...counts } satisfies Report);
}
