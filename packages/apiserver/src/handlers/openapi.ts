import { type Clock, once } from "@homeostat/core";
import { parseAccept } from "../codec/media-types.ts";
import { documentHash } from "../discovery/negotiate.ts";
import { OpenApi } from "../discovery/openapi.ts";
import { encodeSwagger } from "../discovery/swagger-protobuf.ts";
import { type HandlerResponse, headerOf, plainText, type ServerRequest } from "../http/handler.ts";
import type { Kinds } from "../registry/kinds.ts";

/** Serves `/openapi/v3` and the documents below it, and `/openapi/v2` as JSON and protobuf. */
export class OpenApiPaths {
  readonly #kinds: Kinds;
  readonly #clock: Pick<Clock, "now">;
  readonly #openApi = new OpenApi();
  #isStale = true;
  #changedMs: number;
  #swagger: SwaggerForms | undefined;

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

  /** Returns the response for a request, or undefined when its path is not one of these documents. */
  respond(request: ServerRequest): HandlerResponse | undefined {
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

  /** kube-apiserver serves the index as a file without a type: it has no ETag and is `text/plain`, whatever the client accepts. */
  #index(): HandlerResponse {
    const headers = { ...this.#fileHeaders(), "Content-Type": plainText };
    return { status: 200, headers, body: JSON.stringify(this.#openApi.index()) };
  }

  #fileHeaders(): Record<string, string> {
    return { "Accept-Ranges": "bytes", "Last-Modified": new Date(this.#changedMs).toUTCString() };
  }

  #v2(request: ServerRequest): HandlerResponse {
    if (this.#isStale) this.#openApi.setCustom(this.#kinds.schemas);
    this.#isStale = false;
    const form = swaggerForm(headerOf(request.headers, "accept") ?? "");
    if (form === undefined) return { status: 406, headers: { Vary: vary }, body: "" };
    this.#swagger ??= swaggerForms(this.#openApi.swagger());
    const { tag } = this.#swagger;
    const headers = { ...this.#fileHeaders(), "Content-Type": contentTypes[form], Etag: tag, Vary: vary };
    if (headerOf(request.headers, "if-none-match") === tag) return { status: 304, headers, body: "" };
    return { status: 200, headers, body: this.#swagger[form]() };
  }
}

type SwaggerForm = "json" | "protobuf";

const vary = "Accept-Encoding, Accept";
const contentTypes: Readonly<Record<SwaggerForm, string>> = {
  json: "application/json",
  protobuf: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
};
const acceptedTypes: readonly (readonly [type: string, form: SwaggerForm])[] = [
  ["application/json", "json"],
  ["application/com.github.proto-openapi.spec.v2@v1.0+protobuf", "protobuf"],
  ["application/com.github.proto-openapi.spec.v2.v1.0+protobuf", "protobuf"],
];

/** Returns the form of the OpenAPI v2 document that an `Accept` header prefers; undefined when it accepts none. */
function swaggerForm(accept: string): SwaggerForm | undefined {
  for (const { type, subtype } of parseAccept(accept === "" ? "*/*" : accept)) {
    const found = acceptedTypes.find(
      ([known]) => (type === "*" || known.startsWith(`${type}/`)) && (subtype === "*" || known.endsWith(`/${subtype}`)),
    );
    if (found !== undefined) return found[1];
  }
  return undefined;
}

/** An OpenAPI v2 document. Each form is encoded on its first request; both share the ETag, as on kube-apiserver. */
interface SwaggerForms {
  readonly tag: string;
  readonly json: () => string;
  readonly protobuf: () => Buffer;
}

function swaggerForms(document: unknown): SwaggerForms {
  const text = JSON.stringify(document);
  return { tag: `"${documentHash(text)}"`, json: () => text, protobuf: once(() => encodeSwagger(JSON.parse(text))) };
}
