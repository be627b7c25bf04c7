// The query port of the route server.

import { HomeostatError, isRecord, ownValue, parseBoundedJson } from "@homeostat/core";
import { sendHttp } from "@homeostat/http";
import type { Explanation } from "@homeostat/routing";
import { CommandError, exitCodes } from "../command/errors.ts";

const bodyBytesMax = 1024 * 1024;

/** Asks the route server for an explanation. */
export async function askRouteServer(server: URL, request: object, signal: AbortSignal): Promise<Explanation> {
  const isTls = server.protocol === "https:";
  const base = server.pathname.replace(/\/$/, "");
  let response;
  try {
    response = await sendHttp({
      method: "POST",
      host: server.hostname.replace(/^\[|\]$/g, ""),
      port: Number(server.port) || (isTls ? 443 : 80),
      path: `${base}/api/v1/explain`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
      tls: isTls ? {} : undefined,
      signal,
      bodyBytesMax,
    });
  } catch (error) {
    if (!(error instanceof HomeostatError)) throw error;
    const advice = "forward the port of the route server with kubectl port-forward, or omit --server";
    throw new CommandError(`Cannot reach ${server.origin}: ${error.message}; ${advice}`, exitCodes.error, {
      cause: error,
    });
  }
  const value = readBody(response.body, server);
  if (response.status === 200 && isExplanation(value)) return value;
  const exitCode =
    response.status === 404 ? exitCodes.notFound : response.status === 400 ? exitCodes.usage : exitCodes.error;
  throw new CommandError(`${server.origin} responded with ${response.status}: ${problemsOf(value)}`, exitCode);
}

function readBody(body: Buffer, server: URL): unknown {
  try {
    return parseBoundedJson(body.toString("utf8"), {
      what: `response of ${server.origin}`,
      bytesMax: bodyBytesMax,
      depthMax: 32,
      valuesMax: 100_000,
    });
  } catch (error) {
    const message = `${server.origin} did not respond with JSON; is it the query port of a route server?`;
    throw new CommandError(message, exitCodes.error, { cause: error });
  }
}

function isExplanation(value: unknown): value is Explanation {
  return isRecord(value) && Array.isArray(ownValue(value, "steps")) && isRecord(ownValue(value, "outcome"));
}

function problemsOf(value: unknown): string {
  const problems = isRecord(value) ? (ownValue(value, "problems") ?? ownValue(value, "error")) : undefined;
  if (Array.isArray(problems)) return problems.map(String).join("; ");
  return typeof problems === "string" ? problems : "no reason given";
}
