import { isRecord } from "@homeostat/core";
import { plainOffer } from "../codec/media-types.ts";
import { aggregatedDiscovery } from "../discovery/aggregated.ts";
import { legacyGroup, legacyGroupList, legacyResourceList, legacyVersions } from "../discovery/legacy.ts";
import { aggregatedType, discoveryForm, documentHash } from "../discovery/negotiate.ts";
import type { ServedGroup } from "../discovery/served.ts";
import { type HandlerResponse, headerOf, type ServerRequest } from "../http/handler.ts";
import type { Kinds } from "../registry/kinds.ts";
import { methodUnknownStatus, notAcceptableStatus, noSuchResourceStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import { responseWith, formOf } from "./response-form.ts";

/** A version of another server in aggregated discovery. */
export interface VersionDiscovery {
  readonly version: string;
  readonly resources?: readonly unknown[];
  readonly freshness: "Current" | "Stale";
}

/** The versions that other servers serve, as the aggregation layer knows them. */
export interface RemoteVersions {
  /** Returns the groups of this server merged with those of other servers. */
  groups(own: readonly ServedGroup[]): readonly ServedGroup[];
  /** Returns the aggregated discovery of a version; undefined if this server serves it. */
  discoveryOf(group: string, version: string): VersionDiscovery | undefined;
  /** Calls a function when discovery changes. */
  subscribe(listener: () => void): void;
}

/** Options of {@link Discovery}. */
export interface DiscoveryOptions {
  readonly kinds: Kinds;
  readonly remote: RemoteVersions;
  /** Returns the address of the server for clients: `127.0.0.1:6443`. */
  readonly address: () => string;
}

/** Serves discovery: `/api`, `/apis` and the paths of groups and versions below them. */
export class Discovery {
  readonly #kinds: Kinds;
  readonly #remote: RemoteVersions;
  readonly #address: () => string;
  readonly #documents = new Map<string, { readonly text: string; readonly tag: string }>();

  constructor({ kinds, remote, address }: DiscoveryOptions) {
    this.#kinds = kinds;
    this.#remote = remote;
    this.#address = address;
    kinds.subscribe(() => this.#documents.clear());
    remote.subscribe(() => this.#documents.clear());
  }

  /** All groups: those of this server and those of other servers. */
  get #groups(): readonly ServedGroup[] {
    return this.#remote.groups(this.#kinds.groups);
  }

  /** Returns the paths of groups and versions, for the list at `/`. */
  paths(): string[] {
    return this.#groups.flatMap(({ name, versions }) =>
      name === ""
        ? ["/api", ...versions.map(({ version }) => `/api/${version}`), "/apis", "/apis/"]
        : [`/apis/${name}`, ...versions.map(({ version }) => `/apis/${name}/${version}`)],
    );
  }

  /** Returns the response for a request, or undefined when its path does not belong to discovery. */
  respond(request: ServerRequest): HandlerResponse | undefined {
    const steps = request.info.path.split("/").filter((step) => step !== "");
    const [root, ...rest] = steps;
    if (root !== "api" && root !== "apis") return undefined;
    const found = rest.length === 0 ? this.#root(request, `/${root}`) : this.#part(request, root, rest);
    if (found !== undefined && request.method !== "GET") throw new StatusError(methodUnknownStatus());
    return found;
  }

  #root(request: ServerRequest, path: "/api" | "/apis"): HandlerResponse {
    switch (discoveryForm(headerOf(request.headers, "accept"))) {
      case "aggregated":
        return this.#aggregated(request, path);
      case "legacy": {
        const body = path === "/api" ? legacyVersions(this.#address()) : legacyGroupList(this.#groups);
        return plain(request, body);
      }
      case "none":
        throw new StatusError(
          notAcceptableStatus(["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]),
        );
    }
  }

  #aggregated(request: ServerRequest, path: "/api" | "/apis"): HandlerResponse {
    const known = this.#documents.get(path) ?? this.#makeAggregated(path);
    const headers = {
      "Content-Type": aggregatedType,
      "Cache-Control": "public",
      ETag: known.tag,
      Vary: "Accept",
    };
    if (headerOf(request.headers, "if-none-match") === known.tag) return { status: 304, headers, body: "" };
    return { status: 200, headers, body: known.text };
  }

  #makeAggregated(path: "/api" | "/apis"): { text: string; tag: string } {
    const text = `${JSON.stringify(this.#aggregatedDocument(path))}\n`;
    const made = { text, tag: `"${documentHash(text)}"` };
    this.#documents.set(path, made);
    return made;
  }

  #aggregatedDocument(path: "/api" | "/apis"): unknown {
    const document = aggregatedDiscovery(this.#groups, path);
    const items = document.items.map((item) => ({
      ...item,
      versions: item.versions.map((each) => this.#remote.discoveryOf(item.metadata.name ?? "", each.version) ?? each),
    }));
    return { ...document, items };
  }

  #part(request: ServerRequest, root: "api" | "apis", steps: readonly string[]): HandlerResponse | undefined {
    const [name, version, ...more] = root === "api" ? ["", ...steps] : steps;
    if (more.length > 0) return undefined;
    const listed = this.#groups.find((each) => each.name === name);
    if (version === undefined && listed !== undefined) return plain(request, legacyGroup(listed));
    const group = this.#kinds.groups.find((each) => each.name === name);
    if (group === undefined || version === undefined) return undefined;
    const list = legacyResourceList(group, version);
    if (list === undefined) {
      if (group.versions.every(({ resources }) => resources.every((each) => each.isCustom))) return undefined;
      throw new StatusError(noSuchResourceStatus());
    }
    return plain(request, list);
  }
}

function plain(request: ServerRequest, body: unknown): HandlerResponse {
  const form = formOf(request, plainOffer, { isRouted: true });
  return responseWith(200, isRecord(body) ? body : {}, form);
}
