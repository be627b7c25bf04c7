import type { Clock } from "@homeostat/core";
import { SharedRun } from "../async/shared-run.ts";
import type { ApiResource, Discovery } from "./api-resource.ts";

/** Options of a {@link ResourceMapper}. */
export interface ResourceMapperOptions {
  readonly discover: (signal: AbortSignal) => Promise<Discovery>;
  readonly clock: Clock;
  /** The minimum time between two discoveries, however many unknown kinds are looked up. Default one second. */
  readonly refreshMsMin?: number;
}

/** The group, kind and version of a kind. Default of the version: the one that the server prefers. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
  readonly version?: string | undefined;
}

/**
 * Finds kinds by the names that users and objects use for them.
 *
 * The result of discovery is cached. If a kind is not found, discovery runs again, so that a kind that was just installed is
 * found.
 */
export class ResourceMapper {
  readonly #options: ResourceMapperOptions;
  readonly #discovering: SharedRun<Discovery>;
  #cached: Discovery | undefined;
  #discoveredAt = -Infinity;

  constructor(options: ResourceMapperOptions) {
    this.#options = options;
    this.#discovering = new SharedRun(async (signal) => {
      const found = await options.discover(signal);
      this.#cached = found;
      this.#discoveredAt = options.clock.monotonic();
      return found;
    });
  }

  /** Returns the kind with this group and kind: `{ group: "apps", kind: "Deployment" }`. Undefined if the server does not serve it. */
  async byKind({ group, kind, version }: KindName, signal?: AbortSignal): Promise<ApiResource | undefined> {
    return this.#find(
      (resource) =>
        resource.group === group && resource.kind === kind && (version === undefined || resource.version === version),
      signal,
    );
  }

  /**
   * Returns the kind with this name, as users write it: plural, singular, short name or kind, case-insensitive, alone or with its
   * group, or with version and group: `deployments`, `deploy`, `Deployment`, `deployments.apps`, `deployments.v1.apps`.
   *
   * If several match, the order of the server decides, as in kubectl. Undefined if none matches.
   */
  async byName(name: string, signal?: AbortSignal): Promise<ApiResource | undefined> {
    const wanted = name.toLowerCase();
    // A plural takes precedence over the short name of another kind, whatever the order of the server.
    const forms: ((resource: ApiResource) => readonly string[])[] = [
      ({ plural }) => [plural],
      ({ singular, kind }) => [singular, kind],
      ({ shortNames }) => shortNames,
    ];
    const matches = (names: readonly string[], { group, version }: ApiResource): boolean =>
      names.some((each) => {
        const base = each.toLowerCase();
        return wanted === base || wanted === `${base}.${group}` || wanted === `${base}.${version}.${group}`;
      });
    return this.#findIn(
      ({ resources }) =>
        forms.flatMap((namesOf) => resources.find((resource) => matches(namesOf(resource), resource)) ?? [])[0],
      signal,
    );
  }

  /** Returns the cached result of discovery. Runs discovery the first time, or if `isFresh` is true. */
  async all({ isFresh = false, signal }: { isFresh?: boolean; signal?: AbortSignal } = {}): Promise<Discovery> {
    return this.#cached === undefined || isFresh ? this.#discovering.join(signal) : this.#cached;
  }

  #find(matches: (resource: ApiResource) => boolean, signal?: AbortSignal): Promise<ApiResource | undefined> {
    return this.#findIn(({ resources }) => resources.find(matches), signal);
  }

  async #findIn(
    pick: (discovery: Discovery) => ApiResource | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ApiResource | undefined> {
    const cached = this.#cached;
    const found = cached === undefined ? undefined : pick(cached);
    if (found !== undefined) return found;
    const { clock, refreshMsMin = 1000 } = this.#options;
    if (cached !== undefined && clock.monotonic() - this.#discoveredAt < refreshMsMin) return undefined;
    return pick(await this.#discovering.join(signal));
  }
}
