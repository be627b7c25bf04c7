// Derives Locust's effective settings from the arguments and the environment of a container. Locust uses ConfigArgParse: the
// command line overrides the environment, and the last of several values wins. Values that Locust would reject count as not set.

import { ports } from "./names.ts";
import { webBasePathProblem } from "./web-base-path.ts";

/** The Locust settings that the operator depends on. */
export type EffectiveArguments = ReturnType<typeof effectiveArguments>;

interface Form {
  readonly setting: string;
  readonly flag: `--${string}`;
  readonly short?: `-${string}`;
  /** The flag takes no value. */
  readonly isSwitch?: boolean;
}

const forms = [
  { setting: "headless", flag: "--headless", isSwitch: true },
  { setting: "users", flag: "--users", short: "-u" },
  { setting: "runTime", flag: "--run-time", short: "-t" },
  { setting: "webPort", flag: "--web-port", short: "-P" },
  { setting: "webBasePath", flag: "--web-base-path" },
  { setting: "tlsCert", flag: "--tls-cert" },
  { setting: "tlsKey", flag: "--tls-key" },
  { setting: "stopTimeout", flag: "--stop-timeout", short: "-s" },
  { setting: "exitCodeOnError", flag: "--exit-code-on-error" },
  { setting: "processes", flag: "--processes" },
] as const satisfies readonly Form[];

export type Setting = (typeof forms)[number]["setting"];

/** The part of a container that is read. */
export interface CommandLine {
  readonly args?: readonly string[] | undefined;
  readonly env?:
    | readonly { readonly name: string; readonly value?: string | undefined; readonly valueFrom?: object | undefined }[]
    | undefined;
}

type Found = { readonly text: string } | "unknown";

/**
 * Returns the settings that are in effect for a container.
 *
 * @example
 * effectiveArguments({ args: ["--users", "50", "-t2m"] }).runTime; // 120
 */
export function effectiveArguments({ args = [], env = [] }: CommandLine) {
  const found = new Map<Setting, Found>([...fromEnvironment(env), ...fromCommandLine(args)]);
  const text = (setting: Setting): string | undefined => {
    const value = found.get(setting);
    return value === undefined || value === "unknown" ? undefined : value.text;
  };
  return {
    /** No web UI and no web API. */
    headless: isTrue(text("headless")),
    users: wholeNumber(text("users")),
    /** Seconds. */
    runTime: parseTimeSpan(text("runTime") ?? ""),
    webPort: port(text("webPort")) ?? ports.web,
    /** Without a trailing slash; may be empty. An invalid base path counts as not set. */
    webBasePath: usableBasePath(text("webBasePath") ?? ""),
    /** True if the web UI is served over TLS. */
    tls: (text("tlsCert") ?? "") !== "" && (text("tlsKey") ?? "") !== "",
    /** Seconds. */
    stopTimeout: parseTimeSpan(text("stopTimeout") ?? "") ?? 0,
    exitCodeOnError: wholeNumber(text("exitCodeOnError")),
    /** Processes per worker; negative means one per core. */
    processes: wholeNumber(text("processes")),
    /** Settings whose value cannot be known here: from a Secret, a ConfigMap or another variable. */
    unknown: new Set([...found].flatMap(([setting, value]) => (value === "unknown" ? [setting] : []))),
  };
}

function fromCommandLine(args: readonly string[]): Map<Setting, Found> {
  const found = new Map<Setting, Found>();
  // Arguments after a lone `--` are not flags.
  const end = args.indexOf("--");
  const words = end < 0 ? args : args.slice(0, end);
  for (const [index, word] of words.entries()) {
    for (const form of forms) {
      const text = valueIn(form, word, words[index + 1]);
      if (text !== undefined) found.set(form.setting, asFound(text));
    }
  }
  return found;
}

/** Reads `--flag`, `--flag value`, `--flag=value`, `-f value` or `-fvalue`. */
function valueIn({ flag, short, isSwitch }: Form, word: string, next: string | undefined): string | undefined {
  if (isSwitch === true) return word === flag ? "true" : undefined;
  if (word === flag || word === short) return next;
  if (word.startsWith(`${flag}=`)) return word.slice(flag.length + 1);
  return short !== undefined && word.startsWith(short) ? word.slice(short.length) : undefined;
}

function fromEnvironment(env: NonNullable<CommandLine["env"]>): Map<Setting, Found> {
  const found = new Map<Setting, Found>();
  for (const { name, value = "", valueFrom } of env) {
    const setting = forms.find(({ flag }) => name === variableOf(flag))?.setting;
    if (setting === undefined) continue;
    if (valueFrom !== undefined) found.set(setting, "unknown");
    else if (value === "") found.delete(setting);
    else found.set(setting, asFound(value));
  }
  return found;
}

/** Returns the environment variable of a flag: LOCUST_RUN_TIME for `--run-time`. */
export function variableOf(flag: string): string {
  return `LOCUST_${flag.slice(2).replaceAll("-", "_").toUpperCase()}`;
}

// The kubelet replaces `$(NAME)` with the value of another variable.
function asFound(text: string): Found {
  return text.includes("$(") ? "unknown" : { text };
}

function usableBasePath(text: string): string {
  return webBasePathProblem(text) === undefined ? text.replace(/\/$/, "") : "";
}

function isTrue(text: string | undefined): boolean {
  return text !== undefined && ["true", "yes", "1", "on"].includes(text.toLowerCase());
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function port(text: string | undefined): number | undefined {
  const value = wholeNumber(text);
  return value !== undefined && value > 0 && value <= 65_535 ? value : undefined;
}

/**
 * Returns the seconds of a time span in Locust's format: `90`, `1h30m`, `2m30s`; undefined if Locust would reject it.
 *
 * As in Locust, text after the last unit is ignored: `5m30` is five minutes.
 */
export function parseTimeSpan(text: string): number | undefined {
  const [, hours, minutes, seconds] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?/.exec(text) ?? [];
  if (/^\d+$/.test(text)) return safe(Number(text));
  if (hours === undefined && minutes === undefined && seconds === undefined) return undefined;
  return safe(Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0));
}

function safe(seconds: number): number | undefined {
  return Number.isSafeInteger(seconds) ? seconds : undefined;
}
