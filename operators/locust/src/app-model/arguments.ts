/** Settings of a Locust process, from its arguments and environment. */
export interface LocustArguments {
  readonly role: "master" | "worker" | "single";
  readonly isHeadless: boolean;
  /** True if the load starts without a request to `/swarm`: with `--autostart` or `--headless`. */
  readonly isAutomatic: boolean;
  /** Seconds between the end of an automatic run and the exit of the process; undefined if it does not exit. */
  readonly autoquitSeconds: number | undefined;
  readonly users: number;
  readonly spawnRate: number;
  readonly runTimeSeconds: number | undefined;
  readonly host: string | undefined;
  readonly masterHost: string;
  readonly masterPort: number;
  readonly bindPort: number;
  readonly expectWorkers: number;
  /** 0 means no limit. */
  readonly expectWorkersMaxWaitSeconds: number;
  readonly webPort: number;
  readonly webBasePath: string;
  readonly exitCodeOnError: number;
  readonly locustfile: string;
  /** Usage error, with which the process exits with code 1 immediately; undefined for valid arguments. */
  readonly problem: string | undefined;
}

/** Long names of flags by their short names. */
const shortNames: Readonly<Record<string, string>> = {
  u: "users",
  r: "spawn-rate",
  t: "run-time",
  H: "host",
  P: "web-port",
  s: "stop-timeout",
  f: "locustfile",
};
/** Flags without a value. */
const switches = new Set([
  "headless",
  "autostart",
  "master",
  "worker",
  "enable-rebalancing",
  "only-summary",
  "csv-full-history",
  "json",
  "otel",
  "print-stats",
  "reset-stats",
  "web-login",
  "skip-log-setup",
]);

/** Parses the arguments of a container that runs Locust. A flag overrides its environment variable, as in Locust. */
export function parseArguments(words: readonly string[], env: ReadonlyMap<string, string>): LocustArguments {
  const flags = parseFlags(words[0] === "locust" || words[0]?.endsWith("/locust") === true ? words.slice(1) : words);
  const text = (name: string): string | undefined =>
    flags.get(name) ?? env.get(`LOCUST_${name.replaceAll("-", "_").toUpperCase()}`);
  const number = (name: string, fallback: number): number => {
    const value = Number(text(name) ?? fallback);
    return Number.isFinite(value) ? value : fallback;
  };
  const isOn = (name: string): boolean => {
    if (flags.has(name)) return true;
    const variable = env.get(
      name === "master" || name === "worker" ? `LOCUST_MODE_${name.toUpperCase()}` : `LOCUST_${name.toUpperCase()}`,
    );
    return variable !== undefined && /^(?:1|true|yes|on)$/i.test(variable);
  };
  const autoquit = number("autoquit", -1);
  const runTime = text("run-time");
  const runTimeSeconds = runTime === undefined ? undefined : parseTimespan(runTime);
  const isAutostart = isOn("autostart");
  const isHeadless = isOn("headless");
  const problems = [
    ...(autoquit >= 0 && !isAutostart ? ["--autoquit is only meaningful in combination with --autostart"] : []),
    ...(runTime !== undefined && runTimeSeconds === undefined
      ? ["Valid --run-time formats are: 20, 20s, 3m, 2h, 1h20m, 3h30m10s, etc."]
      : []),
  ];
  return {
    role: isOn("master") ? "master" : isOn("worker") ? "worker" : "single",
    isHeadless,
    isAutomatic: isAutostart || isHeadless,
    autoquitSeconds: autoquit < 0 ? undefined : autoquit,
    users: Math.max(0, Math.trunc(number("users", 1))),
    spawnRate: Math.max(0.001, number("spawn-rate", 1)),
    runTimeSeconds,
    host: text("host"),
    masterHost: text("master-host") ?? env.get("LOCUST_MASTER_NODE_HOST") ?? "127.0.0.1",
    masterPort: number("master-port", Number(env.get("LOCUST_MASTER_NODE_PORT") ?? 5557)),
    bindPort: number("master-bind-port", 5557),
    expectWorkers: Math.max(1, number("expect-workers", 1)),
    expectWorkersMaxWaitSeconds: number("expect-workers-max-wait", 0),
    webPort: number("web-port", 8089),
    webBasePath: (text("web-base-path") ?? "").replace(/\/$/, ""),
    exitCodeOnError: number("exit-code-on-error", 1),
    locustfile: text("locustfile") ?? "locustfile.py",
    problem: problems[0],
  };
}

/** Parses a time span such as `300`, `300s` or `1h30m` and returns its seconds; undefined if it is invalid. */
export function parseTimespan(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const [whole, hours, minutes, seconds] = /^(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s)?$/.exec(text) ?? [];
  if (whole === undefined || whole === "") return undefined;
  return Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

function parseFlags(words: readonly string[]): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  for (let index = 0; index < words.length; index += 1) {
    const [, long, short, given] = /^(?:--([\w-]+)|-([A-Za-z]))(?:=([\s\S]*))?$/.exec(words[index] ?? "") ?? [];
    const name = long ?? (short === undefined ? undefined : shortNames[short]);
    if (name === undefined) continue;
    if (given !== undefined) flags.set(name, given);
    else if (switches.has(name)) flags.set(name, "true");
    else {
      flags.set(name, words[index + 1] ?? "");
      index += 1;
    }
  }
  return flags;
}
