// Writes resources of Envoy to files that it watches.
//
// Envoy reloads a file when it is renamed to its place, and reads the files independently of each other. Two rules keep every state between two files
// valid: a cluster exists before a route refers to it, and it is kept for a while after the last route is removed.

import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@homeostat/core";
import { envoyFileContents, type EnvoyOutput, type EnvoyResource } from "../render/envoy.ts";

/** Options of {@link EnvoyFiles}. */
export interface EnvoyFilesOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Time for which clusters are kept after the last route to them is removed. Default 5 s. */
  readonly graceMs?: number;
}

/** The files of one Envoy. Calls of `write` must not overlap. */
export class EnvoyFiles {
  readonly #options: Required<EnvoyFilesOptions>;
  readonly #written = new Map<string, string>();
  #last: EnvoyOutput | undefined;

  constructor({ graceMs = 5_000, ...options }: EnvoyFilesOptions) {
    this.#options = { graceMs, ...options };
  }

  /** Writes the files whose content has changed. Returns when clusters that are no longer needed are removed too. */
  async write(output: EnvoyOutput, signal?: AbortSignal): Promise<void> {
    const retiring = withRetired(output, this.#last);
    await this.#replace(envoyFileContents(retiring));
    this.#last = retiring;
    const contents = envoyFileContents(output);
    if ([...this.#written.keys()].every((name) => contents.has(name))) return;
    await this.#options.clock.sleep(this.#options.graceMs, signal);
    await this.#replace(contents);
    await this.#remove(contents);
    this.#last = output;
  }

  async #replace(contents: ReadonlyMap<string, string>): Promise<void> {
    for (const [name, content] of contents) {
      if (this.#written.get(name) === content) continue;
      const temporary = this.#path(`.${name}.${randomUUID()}`);
      await writeFile(temporary, content);
      await rename(temporary, this.#path(name));
      this.#written.set(name, content);
    }
  }

  async #remove(contents: ReadonlyMap<string, string>): Promise<void> {
    for (const name of [...this.#written.keys()].filter((each) => !contents.has(each))) {
      await rm(this.#path(name), { force: true });
      this.#written.delete(name);
    }
  }

  #path(name: string): string {
    return join(this.#options.folder, name);
  }
}

/** Returns resources together with the clusters and endpoints of an earlier state. */
function withRetired(output: EnvoyOutput, before: EnvoyOutput | undefined): EnvoyOutput {
  if (before === undefined) return output;
  return {
    ...output,
    clusters: union(output.clusters, before.clusters, ({ name }) => name),
    endpoints: union(output.endpoints, before.endpoints, ({ cluster_name: name }) => name),
  };
}

function union(
  present: readonly EnvoyResource[],
  before: readonly EnvoyResource[],
  nameOf: (resource: EnvoyResource) => unknown,
): readonly EnvoyResource[] {
  const names = new Set(present.map(nameOf));
  return [...present, ...before.filter((resource) => !names.has(nameOf(resource)))];
}
