import type { Clock } from "@homeostat/core";
import { documentHash } from "../discovery/negotiate.ts";
import { OpenApi } from "../discovery/openapi.ts";
import { type Answer, headerOf, plainText, type ServerRequest } from "../http/handler.ts";
import type { Kinds } from "../registry/kinds.ts";

const json = "application/json";

/** Answers `/openapi/v3` and the documents below it, and `/openapi/v2` as JSON. */
export class OpenApiPaths {
  readonly #kinds: Kinds;
  readonly #clock: Pick<Clock, "now">;
  readonly #openApi = new OpenApi();
  #isStale = true;
  #changedMs: number;
  #swagger: { readonly text: string; readonly tag: string } | undefined;

  constructor(kinds: Kinds, clock: Pick<Clock, "now">) {
    this.#kinds = kinds;
    this.#clock = clock;
    this.#changedMs = clock.now();
    kinds.subscribe(() => {
      this.#isStale = true;
      this.#changedMs = clock.now();
      this.#swagger = undefined;
    });
  }

  /** The answer at a path; undefined when it is no document of these. */
  answer(request: ServerRequest): Answer | undefined {
    const { path } = request.info;
    if (path === "/openapi/v2") return this.#v2(request);
    if (path !== "/openapi/v3" && !path.startsWith("/openapi/v3/")) return undefined;
    if (this.#isStale) this.#openApi.setCustom(this.#kinds.schemas);
    this.#isStale = false;
    if (path === "/openapi/v3") return this.#index();
    const key = path.slice("/openapi/v3/".length);
    const hash = request.query.first("hash");
    const ifNoneMatch = headerOf(request.headers, "if-none-match");
    const { status, headers, body } = this.#openApi.document(key, {
      nowMs: this.#clock.now(),
      ...(hash === undefined ? {} : { hash }),
      ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }),
    });
    return { status, headers: { ...headers, ...(status === 200 ? this.#fileHeaders() : {}) }, body };
  }

  /** The real server answers it as a file without a type: it has no tag, and whatever the client accepts it is text. */
  #index(): Answer {
    const headers = { ...this.#fileHeaders(), "Content-Type": plainText };
    return { status: 200, headers, body: JSON.stringify(this.#openApi.index()) };
  }

  #fileHeaders(): Record<string, string> {
    return { "Accept-Ranges": "bytes", "Last-Modified": new Date(this.#changedMs).toUTCString() };
  }

  #v2(request: ServerRequest): Answer {
    if (this.#isStale) this.#openApi.setCustom(this.#kinds.schemas);
    this.#isStale = false;
    const accept = headerOf(request.headers, "accept") ?? "*/*";
    // Go clients ask for protobuf, and do without when there is none.
    if (!/\*\/\*|application\/(?:json|\*)/.test(accept))
      return { status: 406, headers: { Vary: "Accept-Encoding, Accept" }, body: "" };
    if (this.#swagger === undefined) {
      const text = JSON.stringify(this.#openApi.swagger());
      this.#swagger = { text, tag: `"${documentHash(text)}"` };
    }
    return tagged(request, this.#swagger);
  }
}

function tagged(request: ServerRequest, { text, tag }: { readonly text: string; readonly tag: string }): Answer {
  const headers = { "Content-Type": json, Etag: tag, Vary: "Accept" };
  if (headerOf(request.headers, "if-none-match") === tag) return { status: 304, headers, body: "" };
  return { status: 200, headers, body: text };
}
