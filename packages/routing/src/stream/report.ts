import { dnsLabelProblems } from "@homeostat/core";
import { type FieldProblem, FieldReader, ProblemList, type TextRule } from "../checks/field-reader.ts";
import { isRoutingKey } from "../key/routing-key.ts";

/** Maximum number of elements of each list of a report. A proxy sends the others with its next report. */
export const reportItemsMax = 500;
/** The oldest request that a report may contain. */
const agoMsMax = 24 * 3_600_000;

/** The last request of a proxy for a sandbox. Times are relative, so the clocks of proxies need not be synchronized. */
export interface ReportedActivity {
  readonly namespace: string;
  /** Service of the baseline whose route took the request. */
  readonly service: string;
  readonly sandboxUid: string;
  readonly agoMs: number;
  /** True while requests wait for a ready target: the forks of the sandbox may be scaled to zero. */
  readonly isWaiting: boolean;
}

/** A request with a trace ID that a proxy has seen. */
export interface Sighting {
  readonly namespace: string;
  readonly service: string;
  readonly traceId: string;
  /** Routing key of the request; undefined if it had none. */
  readonly key: string | undefined;
  /** IP address of the client, which is that of a pod if no other proxy is between them. */
  readonly client: string | undefined;
  readonly agoMs: number;
}

/** A report of a proxy about its requests, sent to the route server by `POST /v1/report`. */
export interface TrafficReport {
  /** Name that the stream was opened with. */
  readonly proxy: string;
  readonly activity: readonly ReportedActivity[];
  readonly sightings: readonly Sighting[];
}

/** A report read from JSON, and its invalid fields. The report is undefined if there are any. */
export interface ParsedReport {
  readonly report: TrafficReport | undefined;
  readonly problems: readonly FieldProblem[];
}

const name: TextRule = (text) => (dnsLabelProblems(text).length === 0 ? undefined : "must be a DNS label");
const bounded =
  (lengthMax: number): TextRule =>
  (text) =>
    text !== "" && text.length <= lengthMax ? undefined : `must have 1 to ${lengthMax} characters`;
const traceId: TextRule = (text) =>
  /^[0-9a-f]{32}$/.test(text) ? undefined : "must have 32 hexadecimal digits in lower case";
const routingKey: TextRule = (text) => (isRoutingKey(text) ? undefined : "must be a routing key");

/** Reads a report. Unknown fields are ignored, so an older server reads the report of a newer proxy. */
export function parseReport(value: unknown): ParsedReport {
  const problems = new ProblemList();
  const reader = FieldReader.of(value, "report", problems);
  if (reader === undefined) return { report: undefined, problems: problems.list() };
  const report: TrafficReport = {
    proxy: reader.text("proxy", bounded(253)),
    activity:
      reader.optionalList("activity", reportItemsMax, (each, path) => {
        const fields = FieldReader.of(each, path, problems);
        return fields && { ...tableOf(fields), ...activityOf(fields) };
      }) ?? [],
    sightings:
      reader.optionalList("sightings", reportItemsMax, (each, path) => {
        const fields = FieldReader.of(each, path, problems);
        return fields && { ...tableOf(fields), ...sightingOf(fields) };
      }) ?? [],
  };
  return { report: problems.count === 0 ? report : undefined, problems: problems.list() };
}

function tableOf(reader: FieldReader): {
  readonly namespace: string;
  readonly service: string;
  readonly agoMs: number;
} {
  return {
    namespace: reader.text("namespace", name),
    service: reader.text("service", name),
    agoMs: reader.integer("agoMs", { min: 0, max: agoMsMax }),
  };
}

function activityOf(reader: FieldReader): Pick<ReportedActivity, "sandboxUid" | "isWaiting"> {
  return {
    sandboxUid: reader.text("sandboxUid", bounded(64)),
    isWaiting: reader.optionalBoolean("isWaiting") ?? false,
  };
}

function sightingOf(reader: FieldReader): Pick<Sighting, "traceId" | "key" | "client"> {
  return {
    traceId: reader.text("traceId", traceId),
    key: reader.optionalText("key", routingKey),
    client: reader.optionalText("client", bounded(64)),
  };
}
