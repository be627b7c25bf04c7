import { durationToMs, isRecord, ownValue, tryParseDuration } from "@homeostat/core";
import { imageBaseName } from "./image-name.ts";

/** The annotation that says how the containers of a pod behave. */
export const scriptAnnotation = "homeostat.dev/simulate";

/**
 * How a simulated container behaves. Everything that is not said is as it is without a script.
 *
 * In the annotation `homeostat.dev/simulate` it is JSON, with times such as `"1m30s"` or `"200ms"`. What stands there is for all
 * containers but init containers; `"containers": {"NAME": {…}}` is for one of them, of any kind.
 */
export interface Script {
  /** Why the image cannot be pulled. The pod stays in `ErrImagePull` and `ImagePullBackOff`. */
  readonly pullError?: string | undefined;
  /** How long pulling the image takes. */
  readonly pullMs?: number | undefined;
  /** Why the process cannot be started, as a container runtime says it. */
  readonly startError?: string | undefined;
  /** How long starting takes. */
  readonly startMs?: number | undefined;
  /** When after its start it becomes ready: the readiness probe fails before, and without a probe it counts all the same. */
  readonly readyAfterMs?: number | undefined;
  /** It never becomes ready. */
  readonly neverReady?: boolean | undefined;
  /** When after its start the liveness probe begins to fail. */
  readonly unhealthyAfterMs?: number | undefined;
  /** When after its start the startup probe begins to succeed; before, it fails. */
  readonly startupAfterMs?: number | undefined;
  /** When after its start it ends by itself. With `exitCode` alone: at once. */
  readonly exitAfterMs?: number | undefined;
  /** What it ends with. With `exitAfterMs` alone: 0. */
  readonly exitCode?: number | undefined;
  /** It is killed for using too much memory: exit code 137, reason `OOMKilled`. */
  readonly oomKilled?: boolean | undefined;
  /** How many runs end in this way; those after it behave as without a script. Default: all. */
  readonly times?: number | undefined;
  /** It does not heed SIGTERM, and is killed when the time for an orderly end is over. */
  readonly ignoreSigterm?: boolean | undefined;
  /** How long it takes to end after SIGTERM. Default: no time. */
  readonly stopMs?: number | undefined;
  /** What it ends with after SIGTERM. Default: 0. */
  readonly stopExitCode?: number | undefined;
  /** Lines that it prints when it starts. */
  readonly log?: readonly string[] | undefined;
  /** What it leaves as its termination message. */
  readonly terminationMessage?: string | undefined;
  /** The app model that runs in it, whatever its image is: `"http-echo"`. */
  readonly model?: string | undefined;
  /** What the model is told beside the container's own arguments: `{"failRatio": 0.05}`. */
  readonly options?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** Something wrong in an annotation: which field, and what about it. */
export interface ScriptProblem {
  readonly path: string;
  readonly message: string;
}

/** The scripts of a pod. */
export interface PodScripts {
  readonly problems: readonly ScriptProblem[];
  /** The script of a container. */
  for(name: string, isInit: boolean): Script;
}

/** A script for all containers of some images. */
export interface ImageScript {
  /** `redis`: the last part of the image's name. `registry/team/app:1`: the whole of it. */
  readonly image: string;
  readonly script: Script;
}

type Reader = (value: unknown) => { readonly value: Script[keyof Script] } | { readonly problem: string };

const time: Reader = (value) => {
  const nanoseconds = typeof value === "string" ? tryParseDuration(value) : undefined;
  if (nanoseconds === undefined || nanoseconds < 0n) return { problem: 'must be a time such as "5s" or "200ms"' };
  return { value: durationToMs(nanoseconds) };
};
const yes: Reader = (value) => (typeof value === "boolean" ? { value } : { problem: "must be true or false" });
const text: Reader = (value) =>
  typeof value === "string" && value !== "" ? { value } : { problem: "must be a text that is not empty" };
const between =
  (min: number, max: number): Reader =>
  (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
      ? { value }
      : { problem: `must be a whole number from ${min} to ${max}` };
const lines: Reader = (value) => {
  const all: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  const texts = all.filter((line) => typeof line === "string");
  return texts.length === all.length ? { value: texts } : { problem: "must be a list of texts" };
};

const settings: Reader = (value) => {
  const problem = "must be an object of texts, numbers, true and false";
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
  pullError: { field: "pullError", read: text },
  pullTime: { field: "pullMs", read: time },
  startError: { field: "startError", read: text },
  startTime: { field: "startMs", read: time },
  readyAfter: { field: "readyAfterMs", read: time },
  neverReady: { field: "neverReady", read: yes },
  unhealthyAfter: { field: "unhealthyAfterMs", read: time },
  startupAfter: { field: "startupAfterMs", read: time },
  exitAfter: { field: "exitAfterMs", read: time },
  exitCode: { field: "exitCode", read: between(0, 255) },
  oomKilled: { field: "oomKilled", read: yes },
  times: { field: "times", read: between(1, 1_000_000) },
  ignoreSigterm: { field: "ignoreSigterm", read: yes },
  stopTime: { field: "stopMs", read: time },
  stopExitCode: { field: "stopExitCode", read: between(0, 255) },
  log: { field: "log", read: lines },
  terminationMessage: { field: "terminationMessage", read: text },
  model: { field: "model", read: text },
  options: { field: "options", read: settings },
};

/** The longest annotation that is read, in characters. */
const lengthMax = 65_536;

/** Reads the annotation of a pod. What is wrong in it is told, and the rest of it counts. */
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

/** Whether a script is for an image. */
export function isForImage({ image: wanted }: ImageScript, image: string): boolean {
  return wanted === image || wanted === imageBaseName(image);
}

function readFields(from: Readonly<Record<string, unknown>>, prefix: string, problems: ScriptProblem[]): Script {
  const script: { -readonly [K in keyof Script]: Script[K] } = {};
  for (const name of Object.keys(from)) {
    if (prefix === "" && name === "containers") continue;
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known === undefined) {
      problems.push({ path: prefix + name, message: `is not known; there are ${Object.keys(fields).join(", ")}` });
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
