// Lines of a container's log for the page: what a pod says about its containers, and the position up to which the log was read.

import type { DeepReadonly } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import type { LogLine, LogState } from "../api/types.ts";

/** Largest number of characters of a line; the rest is left out. */
const lineLengthMax = 4_096;

/** A container with the instance whose log can be read. */
export interface LogSource extends LogState {
  /** ID of the present instance; undefined before its start. A restart makes another one. */
  readonly instance: string | undefined;
  /** True if the instance writes no more lines. */
  readonly hasEnded: boolean;
}

/**
 * Returns the container whose log is shown: the requested one, the default container of kubectl, or the first one. Undefined if the pod has no
 * container of the requested name.
 */
export function logSource({ metadata, spec, status }: DeepReadonly<Pod>, requested?: string): LogSource | undefined {
  const main = (spec?.containers ?? []).map(({ name }) => name);
  const containers = [...main, ...(spec?.initContainers ?? []).map(({ name }) => name)];
  const byDefault = metadata.annotations?.["kubectl.kubernetes.io/default-container"];
  const container = requested ?? main.find((name) => name === byDefault) ?? main[0];
  if (container === undefined || !containers.includes(container)) return undefined;
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const found = statuses.find(({ name }) => name === container);
  const { running, terminated, waiting } = found?.state ?? {};
  // Between two instances, the log of the one that ended is still there.
  const instance = running === undefined && terminated === undefined ? undefined : found?.containerID;
  return {
    containers,
    container,
    instance,
    hasEnded: running === undefined,
    state:
      running !== undefined
        ? "Running"
        : terminated !== undefined
          ? `Terminated with exit code ${terminated.exitCode}`
          : (waiting?.reason ?? "Not started"),
  };
}

/**
 * The position up to which a log was read, so that reading can go on from it after a broken connection. The API server knows whole seconds only, so the
 * lines of the last second are sent again; they are counted and skipped, because lines may have equal times.
 */
export class LogPosition {
  #instance: string | undefined;
  /** The last second of the lines that were read; empty before the first one. */
  #second = "";
  /** Number of lines of that second. */
  #seen = 0;
  #skip = 0;

  /** Begins or continues the log of an instance. Returns the time from which it is read; undefined for the start. */
  begin(instance: string): string | undefined {
    if (this.#instance !== instance) [this.#instance, this.#second, this.#seen] = [instance, "", 0];
    this.#skip = this.#seen;
    return this.#second === "" ? undefined : this.#second;
  }

  /** Returns a line with a timestamp as time and text; undefined if it was read before. */
  next(line: string): LogLine | undefined {
    const space = line.indexOf(" ");
    const at = space === -1 ? line : line.slice(0, space);
    const second = at.replace(/\.\d+/, "");
    if (second !== this.#second) [this.#second, this.#seen, this.#skip] = [second, 0, 0];
    if (this.#skip > 0) {
      this.#skip -= 1;
      return undefined;
    }
    this.#seen += 1;
    const text = space === -1 ? "" : line.slice(space + 1);
    return { at, text: text.length > lineLengthMax ? `${text.slice(0, lineLengthMax)}…` : text };
  }
}
