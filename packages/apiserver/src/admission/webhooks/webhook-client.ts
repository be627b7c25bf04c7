import { abortable, type Clock, NetworkError } from "@homeostat/core";
import { AgentPool, type HttpResponse, HttpResponseError, sendHttp } from "@homeostat/http";
import { goConnectionText, WebhookCallError } from "./webhook-errors.ts";
import { goStatusText } from "./go-status-text.ts";
import { onAbort } from "./on-abort.ts";

/** The location of a webhook: `clientConfig` of a webhook configuration or of a CRD's conversion. */
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
  /** Base64 of the PEM certificates that must have signed the webhook's certificate; system roots if empty. */
  readonly caBundle?: string | undefined;
}

/** A host and port to connect to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * Resolves a port of a Service to an endpoint that this machine can reach.
 *
 * Returns the error text if there is none: `service "x" not found`.
 */
export type ServiceResolver = (service: {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}) => Endpoint | string | Promise<Endpoint | string>;

/** Options of {@link WebhookClient}. */
export interface WebhookClientOptions {
  readonly clock: Clock;
  readonly resolveService: ServiceResolver;
}

const responseBytesMax = 16 * 1024 * 1024;
const agentsMax = 256;

/**
 * Calls admission and conversion webhooks over HTTPS, with keep-alive connections.
 *
 * {@link WebhookClient.close} closes the connections.
 */
export class WebhookClient {
  readonly #clock: Clock;
  readonly #resolveService: ServiceResolver;
  readonly #agents = new AgentPool(agentsMax);

  constructor({ clock, resolveService }: WebhookClientOptions) {
    this.#clock = clock;
    this.#resolveService = resolveService;
  }

  /**
   * Sends JSON and returns the response body.
   *
   * @throws WebhookCallError for any failure, including error responses.
   */
  async post(
    target: WebhookTarget,
    body: string,
    { timeoutSeconds, signal }: { readonly timeoutSeconds: number; readonly signal: AbortSignal },
  ): Promise<string> {
    const address = addressOf(target);
    const path = `${address.path}?timeout=${timeoutSeconds}s`;
    const title = `Post "https://${address.authority}${path}"`;
    using timer = this.#clock.timeout(timeoutSeconds * 1000);
    const ending = new AbortController();
    const release = [signal, timer.signal].map((each) => onAbort(each, () => ending.abort(each.reason)));
    let port = address.port;
    try {
      const resolved = await abortable(this.#resolve(target, address), ending.signal);
      if (typeof resolved === "string") throw new WebhookCallError(`${title}: ${resolved}`);
      port = resolved.port;
      const request = { ...address, path, endpoint: resolved, caBundle: target.caBundle ?? "", body };
      return await this.#send(request, ending.signal);
    } catch (error) {
      if (error instanceof WebhookCallError) throw error;
      const text = timer.signal.aborted
        ? "context deadline exceeded"
        : signal.aborted
          ? "context canceled"
          : connectionText(error, { host: address.serverName, port });
      throw new WebhookCallError(`${title}: ${text}`, { cause: error });
    } finally {
      release.forEach((run) => run());
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#agents[Symbol.dispose]();
  }

  async #resolve({ service }: WebhookTarget, { serverName, port }: WebhookAddress): Promise<Endpoint | string> {
    if (service === undefined) return { host: serverName, port };
    const { namespace, name } = service;
    return this.#resolveService({ namespace, name, port });
  }

  async #send(request: WebhookRequest, signal: AbortSignal): Promise<string> {
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
        // As in Go, the bundle may contain the webhook's own certificate instead of its CA; envtest creates such
        // bundles.
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
      bodyBytesMax: responseBytesMax,
    });
    return textOf(response);
  }
}

/** The address of a webhook and the name its certificate must have. */
interface WebhookAddress {
  /** Host and port for the URL and the Host header. */
  readonly authority: string;
  readonly path: string;
  readonly serverName: string;
  readonly port: number;
}

interface WebhookRequest extends WebhookAddress {
  readonly endpoint: Endpoint;
  readonly caBundle: string;
  readonly body: string;
}

function addressOf({ url, service }: WebhookTarget): WebhookAddress {
  if (service !== undefined) {
    const { namespace, name, path = "", port = 443 } = service;
    const serverName = `${name}.${namespace}.svc`;
    return { authority: `${serverName}:${port}`, path: cleanPath(path), serverName, port };
  }
  if (url === undefined || !URL.canParse(url)) {
    throw new WebhookCallError("webhook configuration must have either service or URL");
  }
  const { host, hostname, pathname, port } = new URL(url);
  const hasExplicitPort = /^https:\/\/[^/]*:443(\/|$)/.test(url);
  return {
    authority: hasExplicitPort ? `${host}:443` : host,
    path: cleanPath(pathname),
    serverName: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? 443 : Number(port),
  };
}

/** Normalizes a path as the real server does: `//validate/` becomes `/validate`. envtest creates such paths. */
function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** Formats a failed request in the words of a Go client. */
function connectionText(error: unknown, address: { readonly host: string; readonly port: number }): string {
  // NetworkError wraps the error of the socket.
  const cause = error instanceof NetworkError ? error.cause : error;
  if (cause instanceof HttpResponseError && cause.problem === "size") return "the response is too large";
  return goConnectionText(cause, address);
}

function textOf({ status, headers, body }: HttpResponse): string {
  const text = body.toString("utf8");
  const type = headers["content-type"] ?? "";
  if (status >= 200 && status <= 206) {
    if (text !== "") return text;
    throw new WebhookCallError(`0-length response with status code: ${status} and content type: ${type}`);
  }
  const isText = type.startsWith("text/");
  throw new WebhookCallError(goStatusText(status, isText ? text.trim() : "unknown"));
}
