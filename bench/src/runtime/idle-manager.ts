// Measures the memory of an idle program: node bench/dist/runtime/idle-manager.js [seconds]
//
// A manager with a controller, leader election, HTTP endpoints and JSON logs runs in a separate process against a server
// without objects. Prints its resident memory, that of a process that only loads the packages, and the time to become ready.
// Build first (`npm run build`): it runs the bundle that users load.

import { type ChildProcess, fork } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { systemClock } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { createManager, defineController, pinoLogger, runUntilSignal } from "@homeostat/runtime";

/** Resources in the server's discovery. */
const resources = ["configmaps", "leases"].map((name) => ({ name, kind: "Any", namespaced: true, verbs: ["get"] }));
const limitBytes = 70e6;
const [mode = "5"] = process.argv.slice(2);

if (mode === "empty") {
  process.send?.({ rss: process.memoryUsage().rss });
} else if (mode.startsWith("http:")) {
  await runIdle(mode);
} else {
  await measure(Number(mode) * 1000);
}

async function runIdle(server: string): Promise<void> {
  const controller = defineController({ for: ConfigMap, reconcile: async () => undefined });
  const manager = createManager({
    name: "idle",
    connection: { server },
    controllers: [controller],
    leaderElection: { namespace: "default", trustMissing: true },
    http: { port: 0, host: "127.0.0.1" },
    log: await pinoLogger({ level: "warn" }),
  });
  const reportState = (): void => {
    const isReady = manager.isLeading && manager.readyChecks().every((check) => check.problem() === undefined);
    process.send?.({ rss: process.memoryUsage().rss, isReady, ms: process.uptime() * 1000 });
  };
  setInterval(reportState, 20);
  process.once("disconnect", () => process.exit(3));
  await runUntilSignal(manager);
}

async function measure(forMs: number): Promise<void> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const empty = await firstReport(start("empty"), () => true);
  const child = start(`http://127.0.0.1:${port}`);
  const ready = await firstReport(child, ({ isReady }) => isReady === true);
  await systemClock.sleep(forMs);
  const { rss } = await firstReport(child, () => true);
  child.kill("SIGKILL");
  server.closeAllConnections();
  server.close();
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(
    `idle manager after ${forMs / 1000} s: ${mb(rss)} resident, ${rss <= limitBytes ? "within" : "OVER"} ${mb(limitBytes)}; ` +
      `${mb(empty.rss)} with only the packages loaded; ready and leading ${(ready.ms ?? 0).toFixed(0)} ms after process start`,
  );
}

interface Report {
  readonly rss: number;
  readonly isReady?: boolean;
  readonly ms?: number;
}

function start(argument: string): ChildProcess {
  return fork(import.meta.filename, [argument], { execArgv: [], env: { PATH: process.env["PATH"] } });
}

function firstReport(child: ChildProcess, matches: (report: Report) => boolean): Promise<Report> {
  return new Promise((resolve) => {
    const listen = (report: Report): void => {
      if (!matches(report)) return;
      child.off("message", listen);
      resolve(report);
    };
    child.on("message", listen);
  });
}

/** Handles requests as a server without objects on which everything is allowed. */
function respond(request: IncomingMessage, response: ServerResponse): void {
  const { url = "", method = "" } = request;
  const [path = "", query = ""] = url.split("?");
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (path === "/api") send(200, { kind: "APIVersions", versions: ["v1"] });
    else if (path === "/apis") send(200, { kind: "APIGroupList", groups: [groupNamed("coordination.k8s.io")] });
    else if (/^\/(api\/v1|apis\/[^/]+\/v1)$/.test(path))
      send(200, { kind: "APIResourceList", groupVersion: "v1", resources });
    else if (path.endsWith("accessreviews")) send(201, { status: { allowed: true } });
    else if (path.includes("/leases")) {
      if (method === "GET") send(404, { kind: "Status", code: 404, reason: "NotFound", details: { name: "idle" } });
      else {
        const lease = JSON.parse(Buffer.concat(pieces).toString()) as { metadata: object };
        send(200, { ...lease, metadata: { ...lease.metadata, resourceVersion: "1", uid: "1" } });
      }
    } else if (query.includes("watch=")) response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
    else send(200, { kind: "List", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] });
  });
}

function groupNamed(name: string): object {
  const version = { groupVersion: `${name}/v1`, version: "v1" };
  return { name, versions: [version], preferredVersion: version };
}
