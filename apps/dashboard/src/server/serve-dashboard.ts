import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Clock, ListenError, type Random, systemClock, systemRandom } from "@homeostat/core";
import type { Access } from "../access/access.ts";
import type { Refusal } from "../api/types.ts";
import { plainPage, refusalPage } from "../plain/plain-page.ts";
import type { FindOperators } from "../why/why-view.ts";
import { type AssetName, type Assets, isAssetName, loadAssets } from "./assets.ts";
import { firstState, sendStream } from "./event-stream.ts";
import { readBody } from "./read-body.ts";
import { refusalOf } from "./refusals.ts";
import { checkRequest } from "./request-checks.ts";
import { securityHeaders } from "./security-headers.ts";
import { type ApiContext, type OpenView, viewNamed, type ViewRequest } from "./views.ts";
import { writeNamed } from "./writes.ts";

/** Options of {@link serveDashboard}. */
export interface DashboardOptions {
  readonly access: Access;
  /** Finds the debug pages of operators. */
  readonly findOperators: FindOperators;
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** 0 for any free port. */
  readonly port: number;
  /** Values of the `Host` header that are accepted besides the loopback names with the port: `dashboard.example.com`. */
  readonly hostNames?: readonly string[] | undefined;
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
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 20_000, maxHeaderSize: 16_384 },
    (request, response) => void handler.handle(request, response),
  );
  server.maxConnections = connectionsMax;
  server.on("clientError", (_error, socket) => socket.destroy());
  await listen(server, { host, port });
  const address = server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  handler.listensOn(actualPort);
  return {
    port: actualPort,
    get streams() {
      return handler.streams;
    },
    async [Symbol.asyncDispose]() {
      await handler.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function listen(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<void> {
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
    this.#hosts = new Set([...["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`), ...names]);
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
      const refusal = isProbe ? undefined : checkRequest(request, { hosts: this.#hosts, path: url.pathname });
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
      else sendJson(response, status, { status, message });
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
  async #respondWithPlainPage(url: URL, { request, response, signal }: Exchange): Promise<void> {
    const authentication = this.#options.access.authenticate(request);
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
      const view = await openView({ query: page.query, session, context, signal });
      const state = await firstState(view, { clock, signal });
      sendText(response, state === undefined ? 404 : 200, page.render(state, clock.now()));
    } catch (error) {
      const refusal = signal.aborted ? undefined : refusalOf(error);
      if (refusal === undefined) throw error;
      sendText(response, refusal.status, refusalPage(refusal));
    }
  }

  async #respondWithData(url: URL, exchange: Exchange): Promise<void> {
    const { request, response, signal } = exchange;
    const authentication = this.#options.access.authenticate(request);
    if ("refusal" in authentication) {
      sendJson(response, authentication.refusal.status, authentication.refusal);
      return;
    }
    using session = authentication.session;
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
      const { signal } = request;
      await sendStream(response, await openView(request), { clock, signal, onError: this.#options.onError });
    } finally {
      this.streams -= 1;
    }
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
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

function sendText(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }).end(html);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(`${JSON.stringify(value)}\n`);
}
