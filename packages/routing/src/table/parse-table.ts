import { dnsLabelProblems, withoutUndefined } from "@homeostat/core";
import { type FieldProblem, FieldReader, ProblemList } from "../checks/field-reader.ts";
import { isFieldValue, isToken, settableHeaderProblem } from "../checks/header-names.ts";
import { parseMatch, parseMiddleware } from "./parse-conditions.ts";
import type { EntryPort, RouteEntry, RouteTable, TablePort } from "./route-table.ts";

/** A table read from JSON. */
export interface ParsedTable {
  /** The table without its invalid entries; undefined if the table as a whole is unusable. */
  readonly table: RouteTable | undefined;
  readonly problems: readonly FieldProblem[];
}

const portRange = { min: 1, max: 65_535 };
const portsMax = 256;
const entriesMax = 100_000;
const addressesMax = 1000;
const headersMax = 64;
const holdSecondsMax = 600;
const sleepSecondsMax = 2 ** 31 - 1;

/**
 * Reads a route table from JSON and reports all problems.
 *
 * Unknown fields are ignored, so an older proxy reads the table of a newer operator. An entry with a problem is omitted: its requests go to the
 * baseline. This includes an entry with an unknown condition, which would otherwise catch requests that the condition excludes.
 */
export function parseTable(value: unknown): ParsedTable {
  const problems = new ProblemList();
  const reader = FieldReader.of(value, "", problems);
  if (reader === undefined) return { table: undefined, problems: problems.list() };
  const namespace = reader.text("namespace", nameProblem);
  const service = reader.text("service", nameProblem);
  const version = reader.text("version", versionProblem);
  if (!reader.has("ports")) reader.fail("ports", "is required");
  const ports = reader.optionalList("ports", portsMax, (each, path) => tablePort(each, path, problems)) ?? [];
  checkUnique(ports, problems);
  const isUsable = problems.count === 0;
  // Shown in explanations only, so a value of a newer operator does not make the table unusable.
  const interception = reader.optionalChoice("interception", ["Takeover", "Sidecar", "Mesh", "None"]);
  const restoreKeys = reader.optionalBoolean("restoreKeys");
  const entries = reader.optionalList("entries", entriesMax, (each, path) => routeEntry(each, path, problems));
  // An invalid entry is omitted, but a list that cannot be read at all would silently remove every route.
  const hasEntries = entries !== undefined || !reader.has("entries");
  const table = {
    namespace,
    service,
    version,
    ...withoutUndefined({ interception, restoreKeys }),
    ports,
    entries: entries ?? [],
  };
  return { table: isUsable && hasEntries ? table : undefined, problems: problems.list() };
}

/** Reports ports that are listed twice; a lookup would find only the last one. */
function checkUnique(ports: readonly TablePort[], problems: ProblemList): void {
  const seen = new Set<number>();
  for (const [index, { port }] of ports.entries()) {
    if (seen.has(port)) problems.add(`ports[${index}].port`, port, "is listed twice; remove one of them");
    seen.add(port);
  }
}

function tablePort(value: unknown, path: string, problems: ProblemList): TablePort | undefined {
  const reader = FieldReader.of(value, path, problems);
  if (reader === undefined) return undefined;
  return {
    port: reader.integer("port", portRange),
    baselineTarget: reader.text("baselineTarget", addressProblem),
    ...withoutUndefined({
      name: reader.optionalText("name", () => undefined),
      appProtocol: reader.optionalText("appProtocol", () => undefined),
      listen: reader.optionalInteger("listen", portRange),
      targetPort: reader.optionalText("targetPort", () => undefined),
    }),
  };
}

function routeEntry(value: unknown, path: string, problems: ProblemList): RouteEntry | undefined {
  const before = problems.count;
  const reader = FieldReader.of(value, path, problems);
  if (reader === undefined) return undefined;
  if (!reader.has("source")) reader.fail("source", "is required");
  const entry: RouteEntry = {
    routingKey: reader.text("routingKey", keyProblem),
    sandbox: reader.text("sandbox", nameProblem),
    workload: reader.text("workload", nameProblem),
    source: reader.optionalChoice("source", ["Sandbox", "RouteGroup", "Explicit"]) ?? "Sandbox",
    ports: reader.optionalList("ports", portsMax, (each, at) => entryPort(each, at, problems)) ?? [],
    ...withoutUndefined({
      sandboxUid: reader.optionalText("sandboxUid", () => undefined),
      mode: reader.optionalChoice("mode", ["Fork", "Local", "Virtual"]),
      routeGroup: reader.optionalText("routeGroup", nameProblem),
      match: parseMatch(reader, problems),
      percent: reader.optionalInteger("percent", { min: 0, max: 100 }),
      stickyBy: reader.optionalChoice("stickyBy", ["TraceId", "ClientIP", "Header", "None"]),
      stickyHeader: reader.optionalText("stickyHeader", headerNameProblem),
      additionalHeaders: additionalHeaders(reader),
      onUnavailable: reader.optionalChoice("onUnavailable", ["Baseline", "Fail", "Hold"]),
      holdSeconds: reader.optionalInteger("holdSeconds", { min: 0, max: holdSecondsMax }),
      sleepAfterSeconds: reader.optionalInteger("sleepAfterSeconds", { min: 0, max: sleepSecondsMax }),
      middleware: parseMiddleware(reader, problems),
    }),
  };
  return problems.count === before ? entry : undefined;
}

function entryPort(value: unknown, path: string, problems: ProblemList): EntryPort | undefined {
  const reader = FieldReader.of(value, path, problems);
  if (reader === undefined) return undefined;
  return {
    port: reader.integer("port", portRange),
    targetService: reader.text("targetService", nameProblem),
    targetPort: reader.integer("targetPort", portRange),
    ...withoutUndefined({ addresses: reader.optionalTexts("addresses", addressesMax, addressProblem) }),
  };
}

/** Returns the headers to set. Problems do not show values, which may be secret. */
function additionalHeaders(entry: FieldReader): Readonly<Record<string, string>> | undefined {
  const reader = entry.optionalObject("additionalHeaders");
  if (reader === undefined) return undefined;
  const { names } = reader;
  if (names.length > headersMax) {
    entry.fail("additionalHeaders", `must have at most ${headersMax} headers`, names.length);
    return undefined;
  }
  return Object.fromEntries(
    names.map((name) => {
      const value = reader.raw(name);
      const isText = typeof value === "string" && isFieldValue(value);
      const reason = settableHeaderProblem(name) ?? (isText ? undefined : "must be a text without control characters");
      if (reason !== undefined) reader.fail(name, reason, "(not shown)");
      return [name, isText ? value : ""];
    }),
  );
}

function nameProblem(text: string): string | undefined {
  return dnsLabelProblems(text).length === 0 ? undefined : "must be a DNS label: lower-case letters, digits and dashes";
}

function versionProblem(text: string): string | undefined {
  return text === "" || text.length > 128 ? "must have 1 to 128 characters" : undefined;
}

function headerNameProblem(text: string): string | undefined {
  return isToken(text) ? undefined : "is not the name of an HTTP header; use letters, digits and dashes";
}

/** The key of an entry follows the rules of requests; a key that no request can carry is a mistake. */
function keyProblem(text: string): string | undefined {
  const isKey = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(text);
  return isKey ? undefined : "must have 3 to 63 lower-case letters, digits and dashes, and no dash at the ends";
}

/** Rule for `host:port`; a host is a DNS name, an IPv4 address, or an IPv6 address in brackets. */
function addressProblem(text: string): string | undefined {
  const found = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]):([1-9]\d{0,4})$/i.exec(text);
  const isAddress = found !== null && Number(found[1]) <= portRange.max && text.length <= 262;
  return isAddress ? undefined : "must be host:port, such as 10.0.4.12:8080 or [fd00::1]:8080";
}
