import type { Clock } from "@homeostat/core";
import { SharedRun } from "../internal/shared-run.ts";
import type { ApiResource, Discovery } from "./api-resource.ts";

/** What a mapper needs. */
export interface ResourceMapperOptions {
  readonly discover: (signal: AbortSignal) => Promise<Discovery>;
  readonly clock: Clock;
  /** The least time between two looks at the server, however much is asked for that is not there. Default one second. */
  readonly refreshMsMin?: number;
}

/** A kind by its names. Without a version: the one the server prefers. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
  readonly version?: string | undefined;
}

/**
 * Finds kinds by the names that people and objects use for them.
 *
 * What the server has is asked for once and remembered; when something is not found, the server is asked again, so a
 * kind that was installed a moment ago is found.
 */
export class ResourceMapper {
  readonly #options: ResourceMapperOptions;
  readonly #asking: SharedRun<Discovery>;
  #known: Discovery | undefined;
  #askedAt = -Infinity;

  constructor(options: ResourceMapperOptions) {
    this.#options = options;
    this.#asking = new SharedRun(async (signal) => {
      const found = await options.discover(signal);
      this.#known = found;
      this.#askedAt = options.clock.monotonic();
      return found;
    });
  }

  /** The kind that an object calls itself by: `{ group: "apps", kind: "Deployment" }`. Undefined when there is none. */
  async byKind({ group, kind, version }: KindName, signal?: AbortSignal): Promise<ApiResource | undefined> {
    return this.#find(
      (resource) =>
        resource.group === group && resource.kind === kind && (version === undefined || resource.version === version),
      signal,
    );
  }

  /**
   * The kind that a person means: plural, singular, short name or kind, in any case, alone or with its group, or with
   * version and group: `deployments`, `deploy`, `Deployment`, `deployments.apps`, `deployments.v1.apps`.
   *
   * Of several, the server's order decides, as for kubectl. Undefined when there is none.
   */
  async byName(name: string, signal?: AbortSignal): Promise<ApiResource | undefined> {
    const wanted = name.toLowerCase();
    // A plural wins over another kind's short name, whatever the order.
    const forms: ((resource: ApiResource) => readonly string[])[] = [
      ({ plural }) => [plural],
      ({ singular, kind }) => [singular, kind],
      ({ shortNames }) => shortNames,
    ];
    const isMeant = (names: readonly string[], { group, version }: ApiResource): boolean =>
      names.some((each) => {
        const base = each.toLowerCase();
        return wanted === base || wanted === `${base}.${group}` || wanted === `${base}.${version}.${group}`;
      });
    return this.#look(
      ({ resources }) =>
        forms.flatMap((namesOf) => resources.find((resource) => isMeant(namesOf(resource), resource)) ?? [])[0],
      signal,
    );
  }

  /** Everything the server has, as far as we know it; asks only the first time, or when `isFresh` is asked for. */
  async all({ isFresh = false, signal }: { isFresh?: boolean; signal?: AbortSignal } = {}): Promise<Discovery> {
    return this.#known === undefined || isFresh ? this.#asking.join(signal) : this.#known;
  }

  #find(matches: (resource: ApiResource) => boolean, signal?: AbortSignal): Promise<ApiResource | undefined> {
    return this.#look(({ resources }) => resources.find(matches), signal);
  }

  async #look(
    pick: (discovery: Discovery) => ApiResource | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ApiResource | undefined> {
    const remembered = this.#known;
    const found = remembered === undefined ? undefined : pick(remembered);
    if (found !== undefined) return found;
    const { clock, refreshMsMin = 1000 } = this.#options;
    if (remembered !== undefined && clock.monotonic() - this.#askedAt < refreshMsMin) return undefined;
    return pick(await this.#asking.join(signal));
  }
}
