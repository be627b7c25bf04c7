// What a command line and an environment mean to Locust in effect.

import { ports } from "../api/identity.ts";
import { parseTimeSpan } from "./time-span.ts";

/** The settings of Locust that matter to the operator. */
export interface EffectiveArguments {
  /** Whether there is no web interface, and so nobody to ask. */
  readonly headless: boolean;
  readonly users: number | undefined;
  readonly spawnRate: number | undefined;
  /** Seconds. */
  readonly runTime: number | undefined;
  readonly webPort: number;
  /** Without a slash at its end; empty when there is none. */
  readonly webBasePath: string;
  readonly webLogin: boolean;
  /** Whether the web interface speaks TLS: it has a certificate and a key. */
  readonly tls: boolean;
  /** Seconds; 0 when nothing was said. */
  readonly stopTimeout: number;
  readonly exitCodeOnError: number | undefined;
  /** Processes per worker; below zero for one per core. */
  readonly processes: number | undefined;
  /** What was set, but from a place nobody here can look into: a Secret, a ConfigMap, another variable. */
  readonly unknown: ReadonlySet<Setting>;
}

const settings = {
  headless: { flag: "--headless", isSwitch: true },
  users: { flag: "--users", short: "-u" },
  spawnRate: { flag: "--spawn-rate", short: "-r" },
  runTime: { flag: "--run-time", short: "-t" },
  webPort: { flag: "--web-port", short: "-P" },
  webBasePath: { flag: "--web-base-path" },
  webLogin: { flag: "--web-login", isSwitch: true },
  tlsCert: { flag: "--tls-cert" },
  tlsKey: { flag: "--tls-key" },
  stopTimeout: { flag: "--stop-timeout", short: "-s" },
  exitCodeOnError: { flag: "--exit-code-on-error" },
  processes: { flag: "--processes" },
} as const satisfies Readonly<Record<string, Form>>;

interface Form {
  readonly flag: `--${string}`;
  readonly short?: `-${string}`;
  /** Whether it stands alone. */
  readonly isSwitch?: boolean;
}

/** A setting that is read. */
export type Setting = keyof typeof settings;

const forms: readonly (readonly [Setting, Form])[] = [
  ["headless", settings.headless],
  ["users", settings.users],
  ["spawnRate", settings.spawnRate],
  ["runTime", settings.runTime],
  ["webPort", settings.webPort],
  ["webBasePath", settings.webBasePath],
  ["webLogin", settings.webLogin],
  ["tlsCert", settings.tlsCert],
  ["tlsKey", settings.tlsKey],
  ["stopTimeout", settings.stopTimeout],
  ["exitCodeOnError", settings.exitCodeOnError],
  ["processes", settings.processes],
];

/** The part of a container that is read. */
export interface CommandLine {
  readonly args?: readonly string[] | undefined;
  readonly env?:
    | readonly { readonly name: string; readonly value?: string | undefined; readonly valueFrom?: object | undefined }[]
    | undefined;
}

/** A text that was found, or that there is one which cannot be seen from here. */
type Found = { readonly text: string } | "unknown";

/**
 * What the arguments and the environment of a container mean to its Locust.
 *
 * The last of several wins, and the command line beats the environment. Values that Locust would not understand count
 * as not given.
 *
 * @example
 * effectiveArguments({ args: ["--users", "50", "-t2m"] }).runTime; // 120
 */
export function effectiveArguments(container: CommandLine): EffectiveArguments {
  const found = new Map<Setting, Found>([
    ...fromEnvironment(container.env ?? []),
    ...fromCommandLine(container.args ?? []),
  ]);
  const text = (setting: Setting): string | undefined => {
    const value = found.get(setting);
    return value === undefined || value === "unknown" ? undefined : value.text;
  };
  const has = (setting: Setting): boolean => (text(setting) ?? "") !== "";
  return {
    headless: isOn(text("headless")),
    users: wholeNumber(text("users")),
    spawnRate: decimal(text("spawnRate")),
    runTime: parseTimeSpan(text("runTime") ?? ""),
    webPort: portOf(text("webPort")) ?? ports.web,
    webBasePath: (text("webBasePath") ?? "").replace(/\/$/, ""),
    webLogin: isOn(text("webLogin")),
    tls: has("tlsCert") && has("tlsKey"),
    stopTimeout: parseTimeSpan(text("stopTimeout") ?? "") ?? 0,
    exitCodeOnError: wholeNumber(text("exitCodeOnError")),
    processes: wholeNumber(text("processes")),
    unknown: new Set([...found].flatMap(([setting, value]) => (value === "unknown" ? [setting] : []))),
  };
}

function fromCommandLine(args: readonly string[]): Map<Setting, Found> {
  const found = new Map<Setting, Found>();
  // What follows a lone `--` is no flag.
  const end = args.indexOf("--");
  const words = end < 0 ? args : args.slice(0, end);
  for (const [index, word] of words.entries()) {
    for (const [setting, { flag, short, isSwitch }] of forms) {
      const text =
        isSwitch === true ? (word === flag ? "true" : undefined) : valueIn(word, words[index + 1], flag, short);
      if (text !== undefined) found.set(setting, seen(text));
    }
  }
  return found;
}

/** `--flag value`, `--flag=value`, `-f value`, `-fvalue`. */
function valueIn(word: string, next: string | undefined, flag: string, short: string | undefined): string | undefined {
  if (word === flag || word === short) return next;
  if (word.startsWith(`${flag}=`)) return word.slice(flag.length + 1);
  return short !== undefined && word.startsWith(short) ? word.slice(short.length) : undefined;
}

function fromEnvironment(env: NonNullable<CommandLine["env"]>): Map<Setting, Found> {
  const found = new Map<Setting, Found>();
  for (const { name, value = "", valueFrom } of env) {
    const match = forms.find(([, { flag }]) => name === variableOf(flag));
    if (match === undefined) continue;
    if (valueFrom !== undefined) found.set(match[0], "unknown");
    else if (value === "") found.delete(match[0]);
    else found.set(match[0], seen(value));
  }
  return found;
}

/** The variable that stands for a flag: LOCUST_RUN_TIME for `--run-time`. */
export function variableOf(flag: string): string {
  return `LOCUST_${flag.slice(2).replaceAll("-", "_").toUpperCase()}`;
}

// Kubernetes puts the value of another variable in the place of `$(NAME)`.
function seen(text: string): Found {
  return text.includes("$(") ? "unknown" : { text };
}

function isOn(text: string | undefined): boolean {
  return text !== undefined && ["true", "yes", "1", "on"].includes(text.toLowerCase());
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function decimal(text: string | undefined): number | undefined {
  return text !== undefined && /^\+?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/.test(text) ? Number(text) : undefined;
}

function portOf(text: string | undefined): number | undefined {
  const port = wholeNumber(text);
  return port !== undefined && port > 0 && port <= 65_535 ? port : undefined;
}
