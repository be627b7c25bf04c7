import { abortable, type Clock, NetworkError } from "@homeostat/core";
import { AgentPool, type HttpResponse, HttpResponseError, sendHttp } from "@homeostat/http";
import { goConnectionText, WebhookCallError } from "./webhook-errors.ts";
import { unexpectedAnswerText } from "./server-answers.ts";
import { onAbort } from "./on-abort.ts";

/** Where a webhook is: `clientConfig` of a webhook configuration or of a CRD's conversion. */
export interface WebhookTarget {
  readonly url?: string | undefined;
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string | undefined;
        readonly port?: number | undefined;
      }
    | undefined;
  /** PEM in base64 of the authorities that its certificate may be from; those of this machine when empty. */
  readonly caBundle?: string | undefined;
}

/** A place to connect to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * Finds where a port of a Service can be reached from this machine.
 *
 * A text instead of a place says why there is none: `service "x" not found`.
 */
export type ServiceResolver = (service: {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}) => Endpoint | string | Promise<Endpoint | string>;

/** What a {@link WebhookClient} needs. */
export interface WebhookClientOptions {
  readonly clock: Clock;
  readonly resolveService: ServiceResolver;
}

const answerBytesMax = 16 * 1024 * 1024;
const agentsMax = 256;

/**
 * Asks webhooks over HTTPS, on connections that are kept.
 *
 * For admission and for conversion alike. {@link WebhookClient.close} ends the connections.
 */
export class WebhookClient {
  readonly #clock: Clock;
  readonly #resolveService: ServiceResolver;
  readonly #agents = new AgentPool(agentsMax);

  constructor({ clock, resolveService }: WebhookClientOptions) {
    this.#clock = clock;
    this.#resolveService = resolveService;
  }

  /** Sends JSON and returns the body of the answer; throws a {@link WebhookCallError} for all that is no success. */
  async post(
    target: WebhookTarget,
    body: string,
    { timeoutSeconds, signal }: { readonly timeoutSeconds: number; readonly signal: AbortSignal },
  ): Promise<string> {
    const place = placeOf(target);
    const path = `${place.path}?timeout=${timeoutSeconds}s`;
    const title = `Post "https://${place.authority}${path}"`;
    using timer = this.#clock.timeout(timeoutSeconds * 1000);
    const ending = new AbortController();
    const release = [signal, timer.signal].map((each) => onAbort(each, () => ending.abort(each.reason)));
    let port = place.port;
    try {
      const resolved = await abortable(this.#resolve(target, place), ending.signal);
      if (typeof resolved === "string") throw new WebhookCallError(`${title}: ${resolved}`);
      port = resolved.port;
      const request = { ...place, path, endpoint: resolved, caBundle: target.caBundle ?? "", body };
      return await this.#send(request, ending.signal);
    } catch (error) {
      if (error instanceof WebhookCallError) throw error;
      const text = timer.signal.aborted
        ? "context deadline exceeded"
        : signal.aborted
          ? "context canceled"
          : connectionText(error, { host: place.serverName, port });
      throw new WebhookCallError(`${title}: ${text}`, { cause: error });
    } finally {
      release.forEach((run) => run());
    }
  }

  /** Ends all connections that are kept. */
  close(): void {
    this.#agents[Symbol.dispose]();
  }

  async #resolve({ service }: WebhookTarget, { serverName, port }: Place): Promise<Endpoint | string> {
    if (service === undefined) return { host: serverName, port };
    const { namespace, name } = service;
    return this.#resolveService({ namespace, name, port });
  }

  async #send(request: Sending, signal: AbortSignal): Promise<string> {
    const { authority, path, serverName, endpoint, caBundle, body } = request;
    const isAddress = /^[0-9.]+$|:/.test(serverName);
    const response = await sendHttp({
      method: "POST",
      host: endpoint.host,
      port: endpoint.port,
      path,
      agent: this.#agents.agentFor(`${serverName}\n${caBundle}`),
      tls: {
        ...(isAddress ? {} : { servername: serverName }),
        ...(caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64").toString("latin1") }),
        // As Go does: a bundle may hold the webhook's own certificate instead of its authority's. envtest writes such.
        allowPartialTrustChain: true,
      },
      headers: {
        host: authority,
        "user-agent": "kube-apiserver-admission",
        accept: "application/json, */*",
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
      },
      body,
      signal,
      bodyBytesMax: answerBytesMax,
    });
    return textOf(response);
  }
}

/** Where to send to, and whose certificate has to be shown. */
interface Place {
  /** Host and port as the request names them. */
  readonly authority: string;
  readonly path: string;
  readonly serverName: string;
  readonly port: number;
}

interface Sending extends Place {
  readonly endpoint: Endpoint;
  readonly caBundle: string;
  readonly body: string;
}

function placeOf({ url, service }: WebhookTarget): Place {
  if (service !== undefined) {
    const { namespace, name, path = "", port = 443 } = service;
    const serverName = `${name}.${namespace}.svc`;
    return { authority: `${serverName}:${port}`, path: cleanPath(path), serverName, port };
  }
  if (url === undefined || !URL.canParse(url)) {
    throw new WebhookCallError("webhook configuration must have either service or URL");
  }
  const { host, hostname, pathname, port } = new URL(url);
  const isPortSaid = /^https:\/\/[^/]*:443(\/|$)/.test(url);
  return {
    authority: isPortSaid ? `${host}:443` : host,
    path: cleanPath(pathname),
    serverName: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? 443 : Number(port),
  };
}

/** As the real server cleans it: `//validate/` is `/validate`. envtest writes such. */
function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** Describes a failed request in the words of a Go client. */
function connectionText(error: unknown, place: { readonly host: string; readonly port: number }): string {
  // The request wraps what the socket said.
  const cause = error instanceof NetworkError ? error.cause : error;
  if (cause instanceof HttpResponseError && cause.problem === "size") return "the answer is too large";
  return goConnectionText(cause, place);
}

function textOf({ status, headers, body }: HttpResponse): string {
  const text = body.toString("utf8");
  const type = headers["content-type"] ?? "";
  if (status >= 200 && status <= 206) {
    if (text !== "") return text;
    throw new WebhookCallError(`0-length response with status code: ${status} and content type: ${type}`);
  }
  const isText = type.startsWith("text/");
  throw new WebhookCallError(unexpectedAnswerText(status, isText ? text.trim() : "unknown"));
}
