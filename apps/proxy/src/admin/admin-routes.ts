import { createHash, timingSafeEqual } from "node:crypto";
import type { Random } from "@homeostat/core";
import { explain, headerSource, KeyReader, type TargetHealth } from "@homeostat/routing";
import { type HttpGuard, jsonResponse, type Route, type RouteResponse, textResponse } from "@homeostat/runtime";
import { nameOf, type RouteState } from "../routes/table-store.ts";
import type { Role } from "../settings/flags.ts";
import { type LoggedSandboxes, sandboxesMax } from "../traffic/logged-sandboxes.ts";
import type { LevelSetting } from "./level-logger.ts";

export interface AdminOptions {
  readonly role: Role;
  readonly state: () => RouteState;
  readonly health: TargetHealth;
  readonly random: Random;
  readonly level: LevelSetting;
  readonly logged: LoggedSandboxes;
}

/** Returns the routes below `/debug`: the tables in use, explanations of routes, the log level, and the access log. */
export function debugRoutes(options: AdminOptions): readonly Route[] {
  return [
    { path: "/debug/tables", respond: () => tables(options) },
    { path: "/debug/explain", respond: ({ query }) => explanation(options, query) },
    { path: "/debug/log", respond: ({ query }) => logLevel(options, query) },
    { path: "/debug/access-log", respond: ({ query }) => accessLog(options, query) },
  ];
}

/**
 * Returns a guard that requires a token for `/debug`: tables contain routing keys, and with a key a client reaches a sandbox. Without a token
 * `/debug` is off.
 */
export function debugGuard(token: () => Promise<string | undefined>): HttpGuard {
  return async ({ path, authorization }) => {
    if (path !== "/debug" && !path.startsWith("/debug/")) return undefined;
    const expected = await token();
    if (expected === undefined || expected === "") return textResponse(404, "/debug is off; set --admin-token-file.");
    const given = authorization.replace(/^Bearer /, "");
    return isEqual(given, expected) ? undefined : textResponse(401, "/debug requires the token of --admin-token-file.");
  };
}

/** Compares without telling by its duration how much of the token is right. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function tables({ state }: AdminOptions): RouteResponse {
  const { settings, tables: all } = state();
  return jsonResponse(200, { settings, tables: [...all.values()].map(({ table }) => table) });
}

function logLevel({ level }: AdminOptions, query: URLSearchParams): RouteResponse {
  const wanted = query.get("level");
  if (wanted === null) return textResponse(200, level.level);
  if (level.set(wanted)) return textResponse(200, level.level);
  return textResponse(400, "level must be one of debug, info, warn, error.");
}

/** Lists the sandboxes whose requests are logged, or switches one by `?sandbox=NAMESPACE/NAME&enabled=true`. */
function accessLog({ logged, state }: AdminOptions, query: URLSearchParams): RouteResponse {
  const name = query.get("sandbox");
  if (name === null) return jsonResponse(200, { sandboxes: logged.list() });
  const enabled = query.get("enabled");
  if (enabled !== "true" && enabled !== "false") return textResponse(400, "enabled must be true or false.");
  const known = [...state().tables.values()].flatMap(({ table }) =>
    table.entries.map(({ sandbox }) => `${table.namespace}/${sandbox}`),
  );
  if (enabled === "true" && !known.includes(name))
    return textResponse(404, "No table has a route of this sandbox; give it as NAMESPACE/NAME.");
  if (logged.set(name, enabled === "true")) return jsonResponse(200, { sandboxes: logged.list() });
  return textResponse(409, `The requests of ${sandboxesMax} sandboxes are logged; switch one of them off first.`);
}

/** Explains a request given as `?namespace=&service=&port=&method=&path=&header=name:value`. */
function explanation({ role, state, health, random }: AdminOptions, query: URLSearchParams): RouteResponse {
  const { settings, tables: all } = state();
  const name = nameOf({ namespace: query.get("namespace") ?? "", service: query.get("service") ?? "" });
  const found = all.get(name);
  if (found === undefined)
    return textResponse(404, `No table of Service ${name}. Available: ${[...all.keys()].sort().join(", ")}.`);
  const ports = [...found.compiled.ports.keys()];
  const port = query.has("port") ? Number(query.get("port")) : ports[0];
  if (port === undefined || !ports.includes(port)) return textResponse(400, `port must be one of ${ports.join(", ")}.`);
  const fields = query.getAll("header").map((text) => splitHeader(text));
  const knownKeys = { has: (key: string): boolean => [...all.values()].some(({ compiled }) => compiled.keys.has(key)) };
  const request = {
    method: query.get("method") ?? "GET",
    path: query.get("path") ?? "/",
    headers: headerSource(fields),
  };
  const keys = new KeyReader({ role, settings });
  return jsonResponse(200, explain({ table: found.table, port, request, keys, random, health, knownKeys }));
}

function splitHeader(text: string): readonly [name: string, value: string] {
  const colon = text.indexOf(":");
  return colon === -1 ? [text, ""] : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}
