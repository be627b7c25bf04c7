import { durationToMs, isRecord, ownValue, tryParseDuration } from "@homeostat/core";
import { imageBaseName } from "./image-name.ts";

/** Annotation with the simulation script of a pod. */
export const scriptAnnotation = "homeostat.dev/simulate";

/**
 * The behaviour of a simulated container. Absent fields mean the default behaviour.
 *
 * In the annotation `homeostat.dev/simulate` it is a JSON object with durations such as `"1m30s"` or `"200ms"`. Its
 * fields apply to all containers except init containers; `"containers": {"NAME": {…}}` applies to one container of
 * any kind.
 */
export interface Script {
  /** Error of pulling the image. The pod stays in `ErrImagePull` and `ImagePullBackOff`. */
  readonly pullError?: string | undefined;
  /** Duration of the image pull. */
  readonly pullMs?: number | undefined;
  /** Error of starting the process, as a container runtime reports it. */
  readonly startError?: string | undefined;
  /** Duration of the start. */
  readonly startMs?: number | undefined;
  /**
   * Time after the start when it becomes ready. The readiness probe fails before; a container without a probe is not
   * ready before either.
   */
  readonly readyAfterMs?: number | undefined;
  /** True if it never becomes ready. */
  readonly neverReady?: boolean | undefined;
  /** Time after the start when the liveness probe begins to fail. */
  readonly unhealthyAfterMs?: number | undefined;
  /** Time after the start when the startup probe begins to succeed. */
  readonly startupAfterMs?: number | undefined;
  /** Time after the start when it exits. With `exitCode` alone: at once. */
  readonly exitAfterMs?: number | undefined;
  /** Exit code. With `exitAfterMs` alone: 0. */
  readonly exitCode?: number | undefined;
  /** True if it exits as killed for using too much memory: exit code 137, reason `OOMKilled`. */
  readonly oomKilled?: boolean | undefined;
  /** Number of runs that exit this way; later ones run without a scripted exit. Default: all. */
  readonly times?: number | undefined;
  /** True if it ignores SIGTERM and is killed after the grace period. */
  readonly ignoreSigterm?: boolean | undefined;
  /** Time from SIGTERM to its exit. Default: 0. */
  readonly stopMs?: number | undefined;
  /** Exit code after SIGTERM. Default: 0. */
  readonly stopExitCode?: number | undefined;
  /** Lines that it prints at its start. */
  readonly log?: readonly string[] | undefined;
  /** Termination message. */
  readonly terminationMessage?: string | undefined;
  /** Name of the app model to run, whatever the image: `"http-echo"`. */
  readonly model?: string | undefined;
  /** Options for the model in addition to the container's arguments: `{"failRatio": 0.05}`. */
  readonly options?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** An invalid field of the annotation. */
export interface ScriptProblem {
  readonly path: string;
  readonly message: string;
}

/** The scripts of a pod. */
export interface PodScripts {
  readonly problems: readonly ScriptProblem[];
  /** Returns the script of a container. */
  for(name: string, isInit: boolean): Script;
}

/** A script for all containers of an image. */
export interface ImageScript {
  /** The last part of the image name (`redis`), or the whole name (`registry/team/app:1`). */
  readonly image: string;
  readonly script: Script;
}

type Reader = (value: unknown) => { readonly value: Script[keyof Script] } | { readonly problem: string };

const duration: Reader = (value) => {
  const nanoseconds = typeof value === "string" ? tryParseDuration(value) : undefined;
  if (nanoseconds === undefined || nanoseconds < 0n) return { problem: 'must be a duration such as "5s" or "200ms"' };
  return { value: durationToMs(nanoseconds) };
};
const flag: Reader = (value) => (typeof value === "boolean" ? { value } : { problem: "must be true or false" });
const nonEmptyString: Reader = (value) =>
  typeof value === "string" && value !== "" ? { value } : { problem: "must be a non-empty string" };
const between =
  (min: number, max: number): Reader =>
  (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
      ? { value }
      : { problem: `must be an integer from ${min} to ${max}` };
const lines: Reader = (value) => {
  const all: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  const texts = all.filter((line) => typeof line === "string");
  return texts.length === all.length ? { value: texts } : { problem: "must be a list of strings" };
};

const settings: Reader = (value) => {
  const problem = "must be an object with string, number or boolean values";
  if (!isRecord(value)) return { problem };
  const found: [string, string | number | boolean][] = [];
  for (const key of Object.keys(value)) {
    const one = ownValue(value, key);
    if (typeof one !== "string" && typeof one !== "number" && typeof one !== "boolean") return { problem };
    found.push([key, one]);
  }
  return { value: Object.fromEntries(found) };
};

const fields: Readonly<Record<string, { readonly field: keyof Script; readonly read: Reader }>> = {
  pullError: { field: "pullError", read: nonEmptyString },
  pullTime: { field: "pullMs", read: duration },
  startError: { field: "startError", read: nonEmptyString },
  startTime: { field: "startMs", read: duration },
  readyAfter: { field: "readyAfterMs", read: duration },
  neverReady: { field: "neverReady", read: flag },
  unhealthyAfter: { field: "unhealthyAfterMs", read: duration },
  startupAfter: { field: "startupAfterMs", read: duration },
  exitAfter: { field: "exitAfterMs", read: duration },
  exitCode: { field: "exitCode", read: between(0, 255) },
  oomKilled: { field: "oomKilled", read: flag },
  times: { field: "times", read: between(1, 1_000_000) },
  ignoreSigterm: { field: "ignoreSigterm", read: flag },
  stopTime: { field: "stopMs", read: duration },
  stopExitCode: { field: "stopExitCode", read: between(0, 255) },
  log: { field: "log", read: lines },
  terminationMessage: { field: "terminationMessage", read: nonEmptyString },
  model: { field: "model", read: nonEmptyString },
  options: { field: "options", read: settings },
};

/** Longest annotation that is parsed, in characters. */
const lengthMax = 65_536;

/** Parses the annotation of a pod. Invalid fields are returned as problems; the valid ones apply. */
export function readScripts(annotation: string | undefined): PodScripts {
  if (annotation === undefined) return { problems: [], for: () => ({}) };
  const parsed = parse(annotation);
  if (!isRecord(parsed)) {
    const message = annotation.length > lengthMax ? "is too long" : 'must be a JSON object such as {"readyAfter":"2s"}';
    return { problems: [{ path: "", message }], for: () => ({}) };
  }
  const problems: ScriptProblem[] = [];
  const common = readFields(parsed, "", problems);
  const named = new Map<string, Script>();
  const containers = ownValue(parsed, "containers");
  if (isRecord(containers)) {
    for (const name of Object.keys(containers)) {
      const own = ownValue(containers, name);
      if (isRecord(own)) named.set(name, readFields(own, `containers.${name}.`, problems));
      else problems.push({ path: `containers.${name}`, message: "must be an object" });
    }
  } else if (containers !== undefined) problems.push({ path: "containers", message: "must be an object" });
  return {
    problems,
    for: (name, isInit) => ({ ...(isInit ? {} : common), ...named.get(name) }),
  };
}

/** Reports whether a script applies to an image. */
export function isForImage({ image: pattern }: ImageScript, image: string): boolean {
  return pattern === image || pattern === imageBaseName(image);
}

function readFields(from: Readonly<Record<string, unknown>>, prefix: string, problems: ScriptProblem[]): Script {
  const script: { -readonly [K in keyof Script]: Script[K] } = {};
  for (const name of Object.keys(from)) {
    if (prefix === "" && name === "containers") continue;
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known === undefined) {
      problems.push({ path: prefix + name, message: `is unknown; known fields are ${Object.keys(fields).join(", ")}` });
      continue;
    }
    const read = known.read(from[name]);
    if ("problem" in read) problems.push({ path: prefix + name, message: read.problem });
    else Object.assign(script, { [known.field]: read.value });
  }
  return script;
}

function parse(annotation: string): unknown {
  if (annotation.length > lengthMax) return undefined;
  try {
    return JSON.parse(annotation);
  } catch {
    return undefined;
  }
}
