import { headerSource, type RequestView } from "@homeostat/routing";
import { RequestError } from "../errors.ts";

/** A request whose route is to be explained. */
export interface ExplainQuery {
  readonly namespace: string;
  readonly service: string;
  /** Undefined for the only port of the Service. */
  readonly port: number | undefined;
  readonly request: RequestView;
}

const headersMax = 100;

/** Reads the query of an explanation. Each `header` is `NAME: VALUE`. Throws a {@link RequestError} with all problems. */
export function readExplainQuery(query: URLSearchParams): ExplainQuery {
  const problems: string[] = [];
  const [namespace, service] = [query.get("namespace") ?? "", query.get("service") ?? ""];
  if (namespace === "") problems.push("Namespace is missing.");
  if (service === "") problems.push("Service is missing.");
  const portText = query.get("port") ?? "";
  const port = portText === "" ? undefined : Number(portText);
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535))
    problems.push(`Port must be a number from 1 to 65535, not ${portText}.`);
  const path = query.get("path") || "/";
  if (!path.startsWith("/")) problems.push("Path must start with /.");
  const lines = query.getAll("header").filter((line) => line.trim() !== "");
  if (lines.length > headersMax) problems.push(`At most ${headersMax} headers are possible.`);
  const headers = lines.slice(0, headersMax).flatMap((line): [string, string][] => {
    const [, name, value = ""] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) return [[name, value]];
    problems.push(`The header ${JSON.stringify(line.slice(0, 80))} must be NAME: VALUE.`);
    return [];
  });
  if (problems.length > 0) throw new RequestError(400, problems.join(" "));
  const method = (query.get("method") || "GET").toUpperCase();
  return { namespace, service, port, request: { method, path, headers: headerSource(headers) } };
}
