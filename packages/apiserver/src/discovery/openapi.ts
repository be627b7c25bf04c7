import { type CustomSchema, customDocument } from "./custom-document.ts";
import { builtInHashes, documentText } from "./documents.ts";
import { builtInRelease } from "../resources/release.ts";
import { documentHash } from "./negotiate.ts";
import { swaggerDocument } from "./openapi-v2.ts";

/** A response for a path below `/openapi/v3`. */
export interface OpenApiResponse {
  readonly status: 200 | 301 | 304 | 404;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

const yearMs = 365 * 24 * 3600 * 1000;

/** The OpenAPI v3 documents of a server: those of built-in groups and those of custom resources. */
export class OpenApi {
  readonly #custom = new Map<string, { readonly text: string; readonly hash: string }>();

  /** Replaces the documents of all custom resources. Documents that did not change keep their hash, so clients keep their cached copy. */
  setCustom(resources: readonly CustomSchema[]): void {
    this.#custom.clear();
    for (const key of new Set(resources.map(keyOf))) {
      if (builtInHashes.has(key)) continue;
      const text = JSON.stringify(customDocument(resources.filter((resource) => keyOf(resource) === key)));
      this.#custom.set(key, { text, hash: documentHash(text) });
    }
  }

  /** Builds the document at `/openapi/v2`. Every call builds it again, which is slow: callers cache it. */
  swagger(): unknown {
    const builtIn = [...builtInHashes.keys()].map((key) => documentText(key)?.toString("utf8") ?? "{}");
    const custom = [...this.#custom.values()].map(({ text }) => text);
    const [, major = "1", minor = "0"] = /^v(\d+)\.(\d+)/.exec(builtInRelease) ?? [];
    return swaggerDocument({ builtIn: builtIn.map(parsed), custom: custom.map(parsed) }, `${major}.${minor}`);
  }

  /** Returns the index at `/openapi/v3`. */
  index(): { readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> } {
    const hashes = [...builtInHashes, ...[...this.#custom].map(([key, { hash }]) => [key, hash] as const)];
    const entries = hashes
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, hash]) => [key, { serverRelativeURL: `/openapi/v3/${key}?hash=${hash}` }] as const);
    return { paths: Object.fromEntries(entries) };
  }

  /**
   * Returns the response to a request for one document, such as `apis/apps/v1`.
   *
   * With the current hash in the URL, clients may cache the document for a year; with an outdated one they are redirected.
   */
  document(key: string, request: { hash?: string; ifNoneMatch?: string; nowMs: number }): OpenApiResponse {
    const hash = builtInHashes.get(key) ?? this.#custom.get(key)?.hash;
    if (hash === undefined) return { status: 404, headers: {}, body: "" };
    const headers: Record<string, string> = { etag: `"${hash}"`, vary: "Accept", "content-type": "application/json" };
    if (request.hash !== undefined && request.hash !== "") {
      if (request.hash !== hash) {
        return { status: 301, headers: { ...headers, location: `/openapi/v3/${key}?hash=${hash}` }, body: "" };
      }
      headers["cache-control"] = "public, immutable";
      headers["expires"] = new Date(request.nowMs + yearMs).toUTCString();
    }
    if (request.ifNoneMatch === headers["etag"]) return { status: 304, headers, body: "" };
    return { status: 200, headers, body: documentText(key) ?? this.#custom.get(key)?.text ?? "" };
  }
}

function keyOf({ group, version }: CustomSchema): string {
  return `apis/${group}/${version}`;
}

function parsed(text: string): unknown {
  return JSON.parse(text);
}
