import { jsonResponse, type ModelResponse, type ModelRequest } from "@homeostat/cluster/app-model";
import { formatTime } from "@homeostat/core";
import { parseTimespan } from "./arguments.ts";
import type { LoadRow } from "./load.ts";
import type { LocustMaster } from "./master.ts";
import { aggregate, errorText, failuresCsv, requestsCsv } from "./report.ts";

// The web API of Locust 2.47, modelled after recorded responses (src/testing/recordings).

/** The simulated Locust version. */
export const locustVersion = "2.47.0";

interface Route {
  readonly methods: readonly string[];
  readonly respond: (master: LocustMaster, request: ModelRequest) => ModelResponse;
}

const read = ["GET", "HEAD"];

const routes: Readonly<Record<string, Route>> = {
  "/": { methods: read, respond: rootPage },
  "/stats/requests": { methods: read, respond: (master) => jsonResponse(statsOf(master)) },
  "/stats/requests/csv": {
    methods: read,
    respond: (master) => csv(master, "requests", requestsCsv(master.load, master.process.now)),
  },
  "/stats/failures/csv": {
    methods: read,
    respond: (master) => csv(master, "failures", failuresCsv(master.load, master.process.now)),
  },
  "/exceptions/csv": {
    methods: read,
    respond: (master) => csv(master, "exceptions", "Count,Message,Traceback,Nodes\n"),
  },
  "/stats/requests_full_history/csv": {
    methods: read,
    respond: () => html("Error: Server was not started with option to generate full history.", 404),
  },
  "/exceptions": { methods: read, respond: () => jsonResponse({ exceptions: [] }) },
  "/worker-count": { methods: read, respond: (master) => jsonResponse({ worker_count: master.connected.length }) },
  "/tasks": { methods: read, respond: tasks },
  "/logs": { methods: read, respond: logs },
  "/stats/report": { methods: read, respond: report },
  "/swarm": { methods: ["POST"], respond: swarm },
  "/stop": { methods: ["POST"], respond: stop },
  "/stats/reset": { methods: ["POST"], respond: reset },
};

/** Handles a request to the web API. */
export function handleWebRequest(master: LocustMaster, request: ModelRequest): ModelResponse {
  const { webBasePath } = master.process.args;
  if (!request.path.startsWith(webBasePath)) return notFound();
  const path = request.path.slice(webBasePath.length);
  const name = path === "" ? "/" : path;
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (route === undefined) return notFound();
  // Before 2.47, Locust changed state on GET requests; since then it requires POST.
  const isOld = name !== "/swarm" && isBefore(master.process.context.container.image, 2, 47);
  const methods = isOld ? read : route.methods;
  if (!methods.includes(request.method)) {
    const response = errorPage(405, "Method Not Allowed", "The method is not allowed for the requested URL.");
    return { ...response, headers: { ...response.headers, allow: [...methods, "OPTIONS"].join(", ") } };
  }
  return withCors(route.respond(master, request));
}

/** Returns the response body of `/stats/requests`. */
export function statsOf(master: LocustMaster): Record<string, unknown> {
  const { load, process, state } = master;
  const { now } = process;
  const rows = load.rows(now);
  const all = aggregate(rows);
  const hasBegun = state !== "ready";
  const share = all.requests === 0 ? 0 : all.failures / all.requests;
  const median = all.requests === 0 ? 0 : load.responseMs(0.5);
  const seconds = load.seconds(now);
  return {
    current_fail_per_sec: load.currentRate(now) * share,
    current_response_time_percentiles: {
      "response_time_percentile_0.5": hasBegun ? median : null,
      "response_time_percentile_0.95": hasBegun ? (all.requests === 0 ? 0 : load.responseMs(0.95)) : null,
    },
    current_rps: load.currentRate(now),
    errors: rows
      .filter(({ failures }) => failures > 0)
      .map(({ method, name, failures }) => ({
        error: errorText,
        first_seen: (now - seconds * 1_000) / 1_000,
        last_seen: now / 1_000,
        method,
        name,
        occurrences: failures,
      })),
    fail_ratio: share,
    state,
    stats: [...rows, all].map((row) => rowOf(row, master)),
    total_fail_per_sec: all.failures / seconds,
    total_rps: all.requests / seconds,
    user_count: master.users,
    ...(master.isDistributed ? workersOf(master) : {}),
  };
}

function rowOf(row: LoadRow, { load, process }: LocustMaster): Record<string, unknown> {
  const { now } = process;
  const isEmpty = row.requests === 0;
  const { min, average, max } = load.responses;
  const total = load.rows(now).reduce((sum, one) => sum + one.requests, 0);
  const rate = total === 0 ? 0 : (load.currentRate(now) * row.requests) / total;
  return {
    avg_content_length: row.contentLength,
    avg_response_time: isEmpty ? 0 : average,
    current_fail_per_sec: isEmpty ? 0 : (rate * row.failures) / row.requests,
    current_rps: rate,
    max_response_time: isEmpty ? 0 : max,
    median_response_time: isEmpty ? 0 : load.responseMs(0.5),
    method: row.method,
    min_response_time: isEmpty ? 0 : min,
    name: row.name,
    num_failures: row.failures,
    num_requests: row.requests,
    "response_time_percentile_0.95": isEmpty ? 0 : load.responseMs(0.95),
    "response_time_percentile_0.99": isEmpty ? 0 : load.responseMs(0.99),
    total_fail_per_sec: row.failures / load.seconds(now),
    total_rps: row.requests / load.seconds(now),
  };
}

function workersOf(master: LocustMaster): Record<string, unknown> {
  const { connected, users } = master;
  return {
    worker_count: connected.length,
    workers: master.workers.map((worker) => {
      const position = connected.indexOf(worker);
      const isConnected = position >= 0;
      return {
        cpu_usage: 0,
        id: worker.id,
        memory_usage: master.state === "ready" ? 0 : 59_000_000,
        state: master.workerState(worker),
        user_count: isConnected ? Math.floor((users + connected.length - 1 - position) / connected.length) : 0,
      };
    }),
  };
}

function swarm(master: LocustMaster, request: ModelRequest): ModelResponse {
  const form = new URLSearchParams(request.body);
  const host = form.get("host") ?? master.host;
  const refuse = (message: string): ModelResponse => {
    master.process.log("web", message, "ERROR");
    return jsonResponse({ ...(host === undefined ? {} : { host }), message, success: false });
  };
  const users = form.get("user_count");
  const rate = form.get("spawn_rate");
  if (users !== null && !/^\s*-?\d{1,9}\s*$/.test(users))
    return refuse(`Invalid user_count value: '${users}' (must be an integer)`);
  if (rate !== null && !Number.isFinite(Number(rate)))
    return refuse(`Invalid spawn_rate value: '${rate}' (must be a float)`);
  if (users === null || rate === null || Number(users) < 0 || Number(rate) <= 0)
    return refuse("Missing or invalid user_count or spawn_rate from /swarm request");
  const runTime = form.get("run_time") ?? "";
  const runTimeSeconds = runTime === "" ? undefined : parseTimespan(runTime);
  if (runTime !== "" && runTimeSeconds === undefined)
    return refuse("Valid run_time formats are : 20, 20s, 3m, 2h, 1h20m, 3h30m10s, etc.");
  master.swarm({ users: Number(users), spawnRate: Number(rate), runTimeSeconds, host });
  return jsonResponse({
    ...(host === undefined ? {} : { host }),
    message: "Swarming started",
    ...(runTimeSeconds === undefined ? {} : { run_time: runTimeSeconds }),
    success: true,
  });
}

function stop(master: LocustMaster): ModelResponse {
  master.stop();
  return jsonResponse({ message: "Test stopped", success: true });
}

function reset({ load, process }: LocustMaster): ModelResponse {
  load.reset(process.now);
  return html("ok");
}

function tasks({ load, userClass }: LocustMaster): ModelResponse {
  const { targets } = load.shape;
  const ratio = 1 / targets.length;
  const own = { [userClass]: { ratio: 1, tasks: Object.fromEntries(targets.map(({ name }) => [name, { ratio }])) } };
  return jsonResponse({ per_class: own, total: own });
}

function logs(master: LocustMaster): ModelResponse {
  const workers = Object.fromEntries(master.workers.map(({ id, lines }) => [id, lines]));
  return jsonResponse({ master: master.process.lines, workers });
}

function rootPage(master: LocustMaster): ModelResponse {
  const templateArgs = {
    host: master.host,
    is_distributed: master.isDistributed,
    num_users: master.lastSwarm?.users ?? null,
    spawn_rate: master.lastSwarm?.spawnRate ?? null,
    state: master.state,
    user_count: master.users,
    version: locustVersion,
    worker_count: master.connected.length,
  };
  const script = JSON.stringify(templateArgs).replaceAll("<", "\\u003c");
  return html(
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8" /><title>Locust</title></head>\n<body><div id="root"></div>\n<script>window.templateArgs = ${script}</script></body></html>`,
  );
}

function report(master: LocustMaster, { query }: ModelRequest): ModelResponse {
  const rows = requestsCsv(master.load, master.process.now).trimEnd().split("\n");
  const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const table = rows.map((row) => `<tr><td>${escape(row).replaceAll(",", "</td><td>")}</td></tr>`).join("\n");
  const page = html(
    `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8" /><title>Locust</title></head><body><table>\n${table}\n</table></body></html>`,
  );
  if (query.get("download") === null) return page;
  return {
    ...page,
    headers: { ...page.headers, "content-disposition": `attachment;filename=${fileName(master)}.html` },
  };
}

function csv(master: LocustMaster, what: string, body: string): ModelResponse {
  const disposition = `attachment;filename=${fileName(master)}_${what}.csv`;
  return { status: 200, headers: { "content-type": "text/csv", "content-disposition": disposition }, body };
}

function fileName({ process, host }: LocustMaster): string {
  const time = formatTime(process.now).slice(0, 16).replace("T", "-").replace(":", "h");
  const file = process.args.locustfile.split("/").at(-1) ?? "";
  return `Locust_${time}_${file}_${host ?? ""}`.replaceAll(/[\r\n]/g, "");
}

function html(body: string, status = 200): ModelResponse {
  return { status, headers: { "content-type": "text/html; charset=utf-8" }, body };
}

function notFound(): ModelResponse {
  return errorPage(
    404,
    "Not Found",
    "The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.",
  );
}

function errorPage(status: number, title: string, text: string): ModelResponse {
  return withCors(
    html(
      `<!doctype html>\n<html lang=en>\n<title>${status} ${title}</title>\n<h1>${title}</h1>\n<p>${text}</p>\n`,
      status,
    ),
  );
}

function withCors(response: ModelResponse): ModelResponse {
  return { ...response, headers: { ...response.headers, "access-control-allow-origin": "*" } };
}

/** Reports whether the tag of an image is an older version. A tag without a version counts as new. */
function isBefore(image: string, major: number, minor: number): boolean {
  const [, first, second] = /:(\d{1,4})\.(\d{1,4})(?:\.|$|-)/.exec(image) ?? [];
  return first !== undefined && (Number(first) < major || (Number(first) === major && Number(second) < minor));
}
