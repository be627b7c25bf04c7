import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";

/** The state of a process that a test file can change for the files that run after it in the same process. */
export interface ProcessState {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** Number of listeners of the process by event. */
  readonly listeners: Readonly<Record<string, number>>;
  /** Global functions that tests replace, and the names of all globals. */
  readonly globals: ReadonlyMap<string, unknown>;
  /** Number of open handles that keep the process alive, by type, for example `TCPServerWrap` or `Timeout`. */
  readonly open: ReadonlyMap<string, number>;
}

/** Events whose listeners change how the process ends. Libraries add listeners of `exit` when they are loaded. */
const watchedEvents = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2", "uncaughtException", "unhandledRejection", "warning"];

/** Reads the state of this process. */
export function readState(): ProcessState {
  return {
    environment: { ...process.env },
    folder: process.cwd(),
    listeners: Object.fromEntries(watchedEvents.map((event) => [event, process.listenerCount(event)])),
    globals: new Map<string, unknown>([
      ...Object.getOwnPropertyNames(globalThis).map((name): [string, unknown] => [name, true]),
      ["setTimeout", setTimeout],
      ["setInterval", setInterval],
      ["setImmediate", setImmediate],
      ["fetch", globalThis.fetch],
      ["Date", Date],
      ["Date.now", Date.now],
      ["Math.random", Math.random],
    ]),
    open: openHandles(),
  };
}

/** Describes what changed between two states, except open handles; empty if nothing did. */
export function changes(before: ProcessState, after: ProcessState): string[] {
  const names = new Set([...Object.keys(before.environment), ...Object.keys(after.environment)]);
  return [
    ...[...names]
      .filter((name) => before.environment[name] !== after.environment[name])
      .map((name) => `changes the environment variable ${name}`),
    ...(before.folder === after.folder ? [] : [`changes the working directory to ${after.folder}`]),
    ...Object.entries(after.listeners)
      .filter(([event, count]) => count !== before.listeners[event])
      .map(([event, count]) => `leaves ${count - (before.listeners[event] ?? 0)} listeners of ${event} on process`),
    ...[...after.globals]
      .filter(([name, value]) => before.globals.get(name) !== value)
      .map(([name]) => `changes the global ${name}`),
  ];
}

/** Describes handles that `after` has and `before` has not. */
export function leaks(before: ProcessState["open"], after: ProcessState["open"]): string[] {
  return [...after]
    .map(([type, count]): [string, number] => [type, count - (before.get(type) ?? 0)])
    .filter(([, more]) => more > 0)
    .map(([type, more]) => `leaves ${more} ${type} open`);
}

/**
 * Waits until the handles opened since `before` are closed and returns those that stay open.
 *
 * A process of its own would end only when they are closed, so a file may leave a socket that closes or a timer that
 * fires soon, and nothing that stays.
 */
export async function waitForHandles(before: ProcessState["open"], limitMs: number): Promise<string[]> {
  // Most files leave nothing, or something that is closed in the next turn.
  for (let turn = 0; turn < 3 && leaks(before, openHandles()).length > 0; turn += 1) await nextTurn();
  const started = performance.now();
  for (let delayMs = 1; ; delayMs = Math.min(delayMs * 2, 100)) {
    const left = leaks(before, openHandles());
    if (left.length === 0 || performance.now() - started > limitMs) return left;
    await wait(delayMs);
  }
}

function openHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1);
  // An immediate runs in this turn, and the request to close a handle ends in the next one.
  counts.delete("Immediate");
  counts.delete("CloseReq");
  return counts;
}
