import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import { type Clock, ListenError, type Random, systemClock, systemRandom } from "@homeostat/core";
import type { KeyPair } from "@homeostat/x509";
import type { Access, Session } from "../access/access.ts";
import { loopbackNames } from "../access/loopback-names.ts";
import type { Refusal } from "../api/types.ts";
import { plainPage, refusalPage } from "../plain/plain-page.ts";
import type { FindOperators } from "../why/why-view.ts";
import { type AssetName, type Assets, isAssetName, loadAssets } from "./assets.ts";
import { firstState, sendStream, untilExpiry } from "./event-stream.ts";
import { readBody } from "./read-body.ts";
import { refusalOf, sessionError } from "./refusals.ts";
import { checkRequest } from "./request-checks.ts";
import { sendJson, sendText } from "./responses.ts";
import { securityHeaders } from "./security-headers.ts";
import { type Exchange, respondToLogin, sessionView } from "./session-requests.ts";
import { type ApiContext, type OpenView, viewNamed, type ViewRequest } from "./views.ts";
import { writeNamed } from "./writes.ts";

/** Options of {@link serveDashboard}. */
export interface DashboardOptions {
  readonly access: Access;
  /** Finds the debug pages of operators. */
  readonly findOperators: FindOperators;
  /** Address to listen on; empty for all. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** 0 for any free port. */
  readonly port: number;
  /** Values of the `Host` header that are accepted besides the loopback names with the port: `dashboard.example.com`. */
  readonly hostNames?: readonly string[] | undefined;
  /** Accepts loopback names with any port as `Host`, for `kubectl port-forward`. Default: with the port of the server only. */
  readonly isForwarded?: boolean | undefined;
  /** Serves HTTPS. Default: HTTP. */
  readonly certificate?: KeyPair | undefined;
  /** Folder with the files of the page. Default: that of this package. */
  readonly assets?: URL | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Called for unexpected errors. Must not throw. */
  readonly onError: (error: unknown) => void;
}

/** A listening dashboard. Disposing of it ends all streams and closes all connections. */
export interface Dashboard extends AsyncDisposable {
  readonly port: number;
  /** Number of open event streams. */
  readonly streams: number;
  /** Replaces the certificate for later connections. Without HTTPS, it has no effect. */
  renew(certificate: KeyPair): void;
}

/** Largest number of open event streams. Each one has its own watches. */
const streamsMax = 50;
const connectionsMax = 200;

/** Serves the page and its data over HTTP. Sends no request to the API server while no page is open. */
export async function serveDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { host = "127.0.0.1", port, clock = systemClock, random = systemRandom } = options;
  const assets = await loadAssets(options.assets);
  const handler = new RequestHandler(options, {
    assets,
    api: { clock, random, runbook: assets.runbook, findOperators: options.findOperators },
  });
  const limits: ServerOptions = {
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    keepAliveTimeout: 20_000,
    maxHeaderSize: 16_384,
  };
  const respond = (request: IncomingMessage, response: ServerResponse): void => void handler.handle(request, response);
  const { certificate } = options;
  const https: HttpsServer | undefined =
    certificate && createHttpsServer({ ...limits, ...contextOf(certificate), handshakeTimeout: 5_000 }, respond);
  const server = https ?? createServer(limits, respond);
  server.maxConnections = connectionsMax;
  server.on("clientError", (_error, socket) => socket.destroy());
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  await listen(server, { host, port });
  const address = server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  handler.listensOn(actualPort);
  return {
    port: actualPort,
    get streams() {
      return handler.streams;
    },
    renew: (renewed) => https?.setSecureContext(contextOf(renewed)),
    async [Symbol.asyncDispose]() {
      await handler.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function contextOf({ cert, key }: KeyPair) {
  return { cert, key, minVersion: "TLSv1.2" } as const;
}

function listen(
  server: Server | HttpsServer,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new ListenError({ host, port, purpose: "the dashboard" }, { cause }));
    server.once("error", fail);
    server.listen({ host, port }, () => {
      server.off("error", fail);
      server.on("error", () => undefined);
      resolve();
    });
  });
}

class RequestHandler {
  readonly #options: DashboardOptions;
  readonly #assets: Assets;
  readonly #api: ApiContext;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #hosts: ReadonlySet<string> = new Set();
  streams = 0;

  constructor(options: DashboardOptions, { assets, api }: { readonly assets: Assets; readonly api: ApiContext }) {
    this.#options = options;
    this.#assets = assets;
    this.#api = api;
  }

  /** Sets the port, which is part of the accepted `Host` headers. */
  listensOn(port: number): void {
    const names = this.#options.hostNames ?? [];
    this.#hosts = new Set([...loopbackNames.map((name) => `${name}:${port}`), ...names]);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the dashboard is closing"));
    await Promise.allSettled(this.#running);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const running = this.#respond(request, response);
    this.#running.add(running);
    await running;
    this.#running.delete(running);
  }

  /** Responds to a request. Never rejects. */
  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const gone = new AbortController();
    response.once("close", () => gone.abort(new Error("the client has disconnected")));
    const signal = AbortSignal.any([gone.signal, this.#closing.signal]);
    // A view sends dozens of requests at once, each with a listener.
    setMaxListeners(0, signal);
    try {
      const url = new URL(request.url ?? "/", "http://localhost");
      // The kubelet's probes have the address of the pod as Host.
      const isProbe = url.pathname === "/healthz" && request.method === "GET";
      const refusal = isProbe
        ? undefined
        : checkRequest(request, { hosts: this.#hosts, isForwarded: this.#options.isForwarded, path: url.pathname });
      if (refusal !== undefined) sendJson(response, refusal.status, refusal);
      else if (url.pathname.startsWith("/api/")) await this.#respondWithData(url, { request, response, signal });
      else if (url.searchParams.has("plain")) await this.#respondWithPlainPage(url, { request, response, signal });
      else this.#respondWithPage(url, request, response);
    } catch (error) {
      if (signal.aborted) {
        response.destroy();
        return;
      }
      const refusal = refusalOf(error);
      if (refusal === undefined) this.#options.onError(error);
      const { status, message } = refusal ?? { status: 500, message: "The dashboard failed. Its log has the details." };
      if (response.headersSent) response.destroy();
      else sendJson(response, status, refusal ?? { status, message });
    }
  }

  #respondWithPage({ pathname, searchParams }: URL, request: IncomingMessage, response: ServerResponse): void {
    const { access } = this.#options;
    const name = pathname.slice(1);
    if (pathname === "/healthz") response.writeHead(200, { "content-type": "text/plain" }).end("ok\n");
    else if (request.method === "POST")
      sendJson(response, 405, { status: 405, message: "POST is not supported here." });
    else if (pathname === "/login" && access.login !== undefined) {
      const login = access.login(searchParams.get("token") ?? "");
      if ("cookie" in login) {
        // Not a redirect: after a link on another site, browsers would not send the new cookie with the redirected request.
        response.setHeader("set-cookie", login.cookie);
        sendText(response, 200, continuePage);
      } else if ("session" in access.authenticate(request)) sendText(response, 200, continuePage);
      else sendText(response, login.refusal.status, refusedPage(login.refusal));
    } else if (isAssetName(name) && name !== "index.html") this.#assets.send(name, request, response);
    else if (/\.\w+$/.test(pathname)) sendJson(response, 404, { status: 404, message: `${pathname} does not exist.` });
    else this.#assets.send(pageName, request, response);
  }

  /** Responds with a page for a browser without scripts. It has the same authentication as the data. */
  async #respondWithPlainPage(url: URL, { request: incoming, response, signal }: Exchange): Promise<void> {
    const authentication = this.#options.access.authenticate(incoming);
    if ("refusal" in authentication) {
      sendText(response, authentication.refusal.status, refusalPage(authentication.refusal));
      return;
    }
    using session = authentication.session;
    const page = plainPage(url);
    const openView = page === undefined ? undefined : viewNamed(page.view);
    if (page === undefined || openView === undefined) {
      sendText(response, 404, refusalPage(notFound(url.pathname)));
      return;
    }
    const context = this.#api;
    const { clock } = context;
    try {
      const request = { query: page.query, session, context, signal };
      const state = await firstState(await openView(request), { clock, signal });
      const openSecond = state === undefined ? undefined : viewNamed(page.secondView ?? "");
      const second = openSecond && (await firstState(await openSecond(request), { clock, signal }));
      sendText(response, state === undefined ? 404 : 200, page.render(state, clock.now(), second));
    } catch (error) {
      const refusal = signal.aborted ? undefined : refusalOf(error);
      if (refusal === undefined) throw error;
      sendText(response, refusal.status, refusalPage(refusal));
    }
  }

  async #respondWithData(url: URL, exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    const { access } = this.#options;
    if (await respondToLogin(access.tokens, url.pathname, exchange)) return;
    const authentication = access.authenticate(request);
    if (url.pathname === "/api/session" && request.method === "GET") {
      sendJson(response, 200, sessionView(authentication));
      return;
    }
    if ("refusal" in authentication) {
      sendJson(response, authentication.refusal.status, authentication.refusal);
      return;
    }
    using session = authentication.session;
    try {
      await this.#respondAs(session, url, exchange);
    } catch (error) {
      throw sessionError(error, session);
    }
  }

  async #respondAs(session: Session, url: URL, { request, response, signal }: Exchange): Promise<void> {
    const path = url.pathname.slice("/api/".length);
    const context = this.#api;
    if (request.method === "POST") {
      const write = writeNamed(path);
      if (write === undefined) sendJson(response, 404, notFound(url.pathname));
      else sendJson(response, 200, await write({ body: await readBody(request), session, context, signal }));
      return;
    }
    const name = path.replace(/^stream\//, "");
    const openView = viewNamed(name);
    const viewRequest: ViewRequest = { query: url.searchParams, session, context, signal };
    if (openView === undefined) sendJson(response, 404, notFound(url.pathname));
    else if (path === name) {
      const state = await firstState(await openView(viewRequest), { clock: context.clock, signal });
      if (state === undefined) sendJson(response, 404, { status: 404, message: "The object does not exist." });
      else sendJson(response, 200, state);
    } else await this.#stream(openView, viewRequest, response);
  }

  async #stream(openView: OpenView, request: ViewRequest, response: ServerResponse): Promise<void> {
    if (this.streams >= streamsMax) {
      sendJson(response, 503, { status: 503, message: `${streamsMax} pages are open. Close some of them.` });
      return;
    }
    this.streams += 1;
    try {
      const { clock } = this.#api;
      const { signal, session } = request;
      const view = untilExpiry(await openView(request), session, clock);
      await sendStream(response, view, { clock, signal, onError: this.#options.onError });
    } finally {
      this.streams -= 1;
    }
  }
}

const pageName: AssetName = "index.html";

/** Returns a page without scripts. */
function loginPage(head: string, body: string): string {
  const icon = '<link rel="icon" href="/icon.svg">';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">${icon}${head}<title>Homeostat</title></head><body>${body}</body></html>`;
}

const continuePage = loginPage(
  '<meta http-equiv="refresh" content="0;url=/">',
  '<p><a href="/">Continue to the dashboard</a></p>',
);

function refusedPage({ message }: Refusal): string {
  return loginPage("", `<h1>Login failed</h1><p>${message}</p>`);
}

function notFound(path: string): Refusal {
  return { status: 404, message: `${path} does not exist.` };
}
