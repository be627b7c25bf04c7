// Debug pages for humans: `/flagz`, `/statusz` and the dumps of API Priority and Fairness, in the formats of
// kube-apiserver.

import type { Clock } from "@homeostat/core";
import { parseAccept } from "../codec/media-types.ts";
import { type HandlerResponse, headerOf, plainText, type ServerRequest } from "../http/handler.ts";
import { versionInfo } from "../http/version.ts";
import { notAcceptableStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";

const warning =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.";
const pagePaths = ["/flagz", "/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version"];

/** A priority level and the number of requests it has served. */
export interface LevelState {
  readonly name: string;
  /** Number of queues; 0 for levels of the types Limited/Reject and Exempt. */
  readonly queues: number;
  readonly isExempt: boolean;
  readonly dispatched: number;
}

/**
 * Returns the response of `/flagz`: the flags of kube-apiserver that have an equivalent here. Throws a `StatusError`
 * (406) if the client does not accept plain text.
 */
export function flagzResponse(request: ServerRequest, flags: Readonly<Record<string, string>>): HandlerResponse {
  checkText(request);
  const lines = Object.keys(flags)
    .toSorted()
    .map((name) => `${name} ${flags[name]}`);
  return text(`\napiserver flagz\n${warning}\n${lines.join("\n")}\n`);
}

/** Returns the response of `/statusz`. Throws a `StatusError` (406) if the client does not accept plain text. */
export function statuszResponse(
  request: ServerRequest,
  { clock, startMs }: { readonly clock: Pick<Clock, "now">; readonly startMs: number },
): HandlerResponse {
  checkText(request);
  const { gitVersion, goVersion, emulationMajor, emulationMinor } = versionInfo();
  const upSeconds = Math.max(0, Math.floor((clock.now() - startMs) / 1000));
  const [hours, minutes] = [Math.floor(upSeconds / 3600), Math.floor((upSeconds % 3600) / 60)];
  const lines = [
    "",
    "apiserver statusz",
    warning,
    "",
    `Started:  ${startedText(startMs)}`,
    `Up:  ${hours} hr ${String(minutes).padStart(2, "0")} min ${String(upSeconds % 60).padStart(2, "0")} sec`,
    `Go version:  ${goVersion}`,
    `Binary version:  ${gitVersion.replace(/^v/, "")}`,
    `Emulation version:  ${emulationMajor}.${emulationMinor}`,
    `Paths:  ${pagePaths.join(" ")}`,
    "",
  ];
  return text(lines.join("\n"));
}

/**
 * Returns a dump below `/debug/api_priority_and_fairness/`; undefined for other paths. No request is ever queued here,
 * so queues are always empty.
 */
export function fairnessResponse(
  path: string,
  levels: readonly LevelState[],
  nowText: string,
): HandlerResponse | undefined {
  const sorted = levels.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  switch (path) {
    case "/debug/api_priority_and_fairness/dump_priority_levels":
      return table(
        "PriorityLevelName ActiveQueues IsIdle IsQuiescing WaitingRequests ExecutingRequests DispatchedRequests RejectedRequests TimedoutRequests CancelledRequests",
        sorted.map(({ name, isExempt, dispatched }) => {
          // The dump request itself is running in the level `exempt`.
          const executing = isExempt ? "1" : "0";
          return [name, "0", String(!isExempt), "false", "0", executing, String(dispatched), "0", "0", "0"];
        }),
      );
    case "/debug/api_priority_and_fairness/dump_queues":
      return table(
        "PriorityLevelName Index PendingRequests ExecutingRequests SeatsInUse NextDispatchR InitialSeatsSum MaxSeatsSum TotalWorkSum",
        sorted.flatMap(({ name, queues }) =>
          Array.from({ length: queues }, (_, index) =>
            `${name} ${index} 0 0 0 0.00000000ss 0 0 0.00000000ss`.split(" "),
          ),
        ),
      );
    case "/debug/api_priority_and_fairness/dump_requests":
      return table(
        "PriorityLevelName FlowSchemaName QueueIndex RequestIndexInQueue FlowDistingsher ArriveTime InitialSeats FinalSeats AdditionalLatency StartTime",
        [["exempt", "exempt", "-1", "-1", "", nowText, "1", "0", "0s", nowText]],
      );
    default:
      return undefined;
  }
}

/** Formats a table with columns aligned as Go's `tabwriter` does. */
function table(head: string, rows: readonly (readonly string[])[]): HandlerResponse {
  const all = [head.split(" "), ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length))) ?? [];
  const lines = all.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : `${cell},`.padEnd((widths[column] ?? 0) + 2)))
      .join(""),
  );
  return text(`${lines.join("\n")}\n`);
}

function text(body: string): HandlerResponse {
  return { status: 200, headers: { "Content-Type": plainText }, body };
}

function checkText(request: ServerRequest): void {
  const clauses = parseAccept(headerOf(request.headers, "accept") ?? "*/*");
  const isAccepted = clauses.some(
    ({ type, subtype }) => type === "*" || (type === "text" && (subtype === "*" || subtype === "plain")),
  );
  if (!isAccepted) throw new StatusError(notAcceptableStatus(["application/json", "application/yaml", "text/plain"]));
}

/** Formats a time as Go's `time.UnixDate` does: `Tue Nov 17 05:55:07 UTC 2026`. */
function startedText(ms: number): string {
  const [weekday = "", day = "", month = "", year = "", time = ""] = new Date(ms)
    .toUTCString()
    .replace(",", "")
    .split(" ");
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`;
}
