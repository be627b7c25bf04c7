// Asks a configured service whether a request may pass, as reverse proxies do with `auth_request` or `forwardAuth`.

import type { Clock } from "@homeostat/core";
import { type HttpRequest, type HttpResponse, sendHttp } from "@homeostat/http";
import type { Destination, ForwardPlan, IncomingRequest, RespondPlan } from "@homeostat/proxy";
import {
  type ForwardSettings,
  previewCookie,
  previewParameter,
  withoutCookies,
  withoutParameters,
} from "@homeostat/routing";
import { pages } from "./pages.ts";

/** Sends a request and returns the whole response. */
export type SendHttp = (request: HttpRequest & { readonly bodyBytesMax: number }) => Promise<HttpResponse>;

export interface ForwardAuthOptions {
  readonly clock: Clock;
  /** Default: {@link sendHttp}. */
  readonly send?: SendHttp | undefined;
}

/** Verdict about a request: the headers to add to it and the name of its user, or the response to the client. */
export type ForwardVerdict =
  | {
      readonly allowed: readonly (readonly [name: string, value: string])[];
      /** Name of the user; undefined if the service gives none, or several. */
      readonly user: string | undefined;
    }
  | { readonly refused: RespondPlan };

const bodyBytesMax = 16 * 1024;
/** Requests that wait for a verdict at a time. More are refused, so that a slow service cannot use up the gateway. */
const waitingMax = 1_000;
/** Headers of the request that the service may need to identify the caller. */
const copiedNames = ["authorization", "cookie", "user-agent", "accept", "accept-language"] as const;
/** Headers of a refusal that the client gets: where to log in. */
const refusalNames = ["location", "set-cookie", "www-authenticate"] as const;

/** Asks the service about requests of hosts with `auth: Forward`. */
export class ForwardAuth {
  readonly #options: ForwardAuthOptions;
  #waiting = 0;

  constructor(options: ForwardAuthOptions) {
    this.#options = options;
  }

  /** Returns the verdict about a request. Never rejects, except when the signal aborts because the client left. */
  async check(
    request: IncomingRequest,
    { settings, host, destination }: { settings: ForwardSettings; host: string; destination: Destination },
    signal: AbortSignal,
  ): Promise<ForwardVerdict> {
    if (this.#waiting >= waitingMax) return unavailable("too many requests wait for it", destination);
    const { clock, send = sendHttp } = this.#options;
    const deadline = new AbortController();
    const timer = clock.schedule(settings.timeoutMs, () => deadline.abort());
    this.#waiting += 1;
    try {
      const response = await send({
        ...targetOf(settings.url),
        method: "GET",
        headers: headersOf(request, host),
        signal: AbortSignal.any([signal, deadline.signal]),
        bodyBytesMax,
      });
      return verdictOf(response, settings, destination);
    } catch {
      signal.throwIfAborted();
      const reason = deadline.signal.aborted ? `it sent no response within ${settings.timeoutMs} ms` : "it failed";
      return unavailable(reason, destination);
    } finally {
      this.#waiting -= 1;
      timer[Symbol.dispose]();
    }
  }
}

function targetOf(text: string): Pick<HttpRequest, "host" | "port" | "path" | "tls"> {
  const url = new URL(text);
  const isTls = url.protocol === "https:";
  const port = url.port === "" ? (isTls ? 443 : 80) : Number(url.port);
  return { host: url.hostname, port, path: `${url.pathname}${url.search}`, ...(isTls && { tls: {} }) };
}

function headersOf(request: IncomingRequest, host: string): Record<string, string> {
  const headers: Record<string, string> = {
    "x-forwarded-method": request.method,
    "x-forwarded-host": host,
    "x-forwarded-proto": request.scheme,
    // The token of a link is for the gateway alone.
    "x-forwarded-uri": withoutParameters(request.path, [previewParameter]),
    ...(request.clientAddress !== undefined && { "x-forwarded-for": request.clientAddress }),
  };
  for (const name of copiedNames) {
    const value = request.headers.get(name);
    if (value === undefined) continue;
    const text = typeof value === "string" ? value : value.join(name === "cookie" ? "; " : ", ");
    const kept = name === "cookie" ? withoutCookies(text, [previewCookie]) : text;
    if (kept !== undefined) headers[name] = kept;
  }
  return headers;
}

function verdictOf(
  { status, headersDistinct }: HttpResponse,
  { headers, userHeader }: ForwardSettings,
  destination: Destination,
): ForwardVerdict {
  const valuesOf = (name: string) => (headersDistinct[name] ?? []).map((value) => [name, value] as const);
  if (status >= 200 && status < 300) {
    const copied = headers.flatMap((name) => {
      const values = headersDistinct[name] ?? [];
      return values.length === 0 ? [] : [[name, values.join(", ")] as const];
    });
    const [user, ...others] = userHeader === undefined ? [] : valuesOf(userHeader).map(([, value]) => value.trim());
    return { allowed: copied, user: user === "" || others.length > 0 ? undefined : user };
  }
  if (status >= 500 || status < 300) return unavailable(`it responded with status ${status}`, destination);
  const own = status === 401 ? pages.unauthenticated : pages.forbidden;
  const response = own("The request was refused by the authentication service.\n", destination);
  return { refused: { ...response, status, headers: [...response.headers, ...refusalNames.flatMap(valuesOf)] } };
}

function unavailable(reason: string, destination: Destination): ForwardVerdict {
  const body = `The authentication service of preview addresses could not be asked: ${reason}. Retry later.\n`;
  return { refused: pages.unavailable(body, destination) };
}

/** Returns the plan with the headers of a verdict. Headers of these names from the client never reach the Service. */
export function withVerdict(
  plan: ForwardPlan | RespondPlan,
  names: readonly string[],
  allowed: readonly (readonly [name: string, value: string])[],
): ForwardPlan | RespondPlan {
  if (plan.type !== "forward") return plan;
  const { remove, set } = plan.edits;
  const kept = set.filter(([name]) => !names.includes(name));
  const copied = allowed.map(([name]) => name);
  const missing = names.filter((name) => !copied.includes(name));
  return { ...plan, edits: { remove: [...remove, ...missing], set: [...kept, ...allowed] } };
}
