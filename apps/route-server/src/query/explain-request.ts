// Reads a request to explain a route.

import { isRecord } from "@homeostat/core";
import { headerSource, type RequestView } from "@homeostat/routing";
import { type JsonResponse, refusal } from "../http/response.ts";

/** A request whose route is to be explained. */
export interface ExplainRequest {
  readonly namespace: string;
  readonly service: string;
  /** Undefined for the only port of the Service. */
  readonly port: number | undefined;
  readonly request: RequestView;
}

const headersMax = 200;

/** Reads the body `{namespace, service, port, method, path, headers}` and reports all of its problems. */
export function readExplainRequest(
  value: unknown,
): { readonly request: ExplainRequest } | { readonly refused: JsonResponse } {
  if (!isRecord(value)) return { refused: refusal(400, "the body must be an object with namespace and service") };
  const { namespace, service, port, method = "GET", path = "/", headers = {} } = value;
  const problems: string[] = [];
  if (typeof namespace !== "string" || namespace === "")
    problems.push("namespace must be the namespace of the Service");
  if (typeof service !== "string" || service === "") problems.push("service must be the name of a Service");
  if (port !== undefined && (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535)) {
    problems.push("port must be a port of the Service, from 1 to 65535");
  }
  if (typeof method !== "string" || method === "") problems.push("method must be an HTTP method such as GET");
  if (typeof path !== "string" || !path.startsWith("/")) problems.push("path must start with /");
  const fields: [string, string][] = [];
  if (!isRecord(headers) || Object.keys(headers).length > headersMax) {
    problems.push(`headers must be an object with at most ${headersMax} names`);
  } else {
    for (const [name, values] of Object.entries(headers)) {
      const list: readonly unknown[] = Array.isArray(values) ? values : [values];
      for (const each of list) {
        if (typeof each === "string") fields.push([name, each]);
        else problems.push(`headers.${name.slice(0, 64)} must be a string or a list of strings`);
      }
    }
  }
  if (
    problems.length > 0 ||
    typeof namespace !== "string" ||
    typeof service !== "string" ||
    typeof method !== "string" ||
    typeof path !== "string"
  ) {
    return { refused: refusal(400, ...problems) };
  }
  const request = { method, path, headers: headerSource(fields) };
  return { request: { namespace, service, port: typeof port === "number" ? port : undefined, request } };
}
