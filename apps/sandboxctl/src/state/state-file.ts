// The state of running tunnels of this machine, one file each, for `local status`, `local disconnect` and `local proxy`. A tunnel refreshes its file
// while it runs and removes it at its end. A request to stop is a second file next to it, because process IDs can belong to another program after a
// crash. The file of a killed process is kept: it names the LocalWorkload and the files of the baseline that later commands must remove.

import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Clock, isRecord, ownValue } from "@homeostat/core";

/** State of a tunnel. */
export interface TunnelState {
  readonly pid: number;
  readonly namespace: string;
  /** Name of the LocalWorkload. */
  readonly name: string;
  readonly uid: string;
  /** True if this machine has created the LocalWorkload and deletes it at the end. */
  readonly isOwn: boolean;
  /** True when the wait of the command that opened the tunnel is over. */
  readonly isReady: boolean;
  /** Options of the connection to the cluster; empty for the defaults. */
  readonly kubeconfig: string;
  readonly context: string;
  /** Folder with files of the baseline; empty if there is none. */
  readonly files: string;
  readonly sandbox: string;
  readonly service: string;
  /** `connecting`, `attached` or `lost`. */
  readonly state: string;
  /** Time of the last change of the state, RFC 3339. */
  readonly since: string;
  readonly routingKey: string;
  readonly transport: string;
  readonly server: string;
  /** Pod of the tunnel server; empty if it is not known. */
  readonly replica: string;
  /** Round trip time in milliseconds; -1 if it is not known. */
  readonly rttMs: number;
  /** Address of the SOCKS5 and HTTP proxy. */
  readonly socks: string;
  readonly ports: readonly {
    readonly name: string;
    readonly address: string;
    readonly containerPort: number;
    readonly state: string;
  }[];
  readonly connections: number;
  readonly open: number;
  readonly failed: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly lastError: string;
  /** Time of the last refresh, in milliseconds since the epoch. */
  readonly refreshedAt: number;
}

/** Names the file of a tunnel. */
export type TunnelPlace = Pick<TunnelState, "namespace" | "name" | "uid">;

/** A tunnel that has not refreshed its file for this long no longer runs, even if its process ID is in use. */
const staleMs = 15_000;

/** Reports whether the process of a tunnel runs. */
export function isRunning({ pid, refreshedAt }: TunnelState, clock: Pick<Clock, "now">): boolean {
  return clock.now() - refreshedAt <= staleMs && isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A permission error means that the process exists.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function folderOf(stateFolder: string): string {
  return join(stateFolder, "tunnels");
}

function fileOf(stateFolder: string, { namespace, name, uid }: TunnelPlace): string {
  // Two clusters can have LocalWorkloads of the same name.
  return join(folderOf(stateFolder), `${namespace}.${name}.${uid.slice(0, 8)}.json`);
}

function stopFileOf(stateFolder: string, place: TunnelPlace): string {
  return fileOf(stateFolder, place).replace(/\.json$/, ".stop");
}

/** Prefix of the names of folders with files of the baseline. */
export const filesPrefix = "sandboxctl-files-";

/** Removes the files of the baseline of a tunnel, which may contain secrets. */
export async function removeFiles({ files }: Pick<TunnelState, "files">): Promise<void> {
  // Removes only folders that this program has created, regardless of the path in the file. The parent folder depends on TMPDIR of the other process.
  if (!/^sandboxctl-files-[A-Za-z0-9]{6}$/.test(basename(files))) return;
  await rm(files, { recursive: true, force: true });
}

/** Writes the state of a tunnel, readable by the user only. */
export async function writeState(stateFolder: string, state: TunnelState): Promise<void> {
  await mkdir(folderOf(stateFolder), { recursive: true, mode: 0o700 });
  const file = fileOf(stateFolder, state);
  const draft = `${file}.${state.pid}`;
  await writeFile(draft, JSON.stringify(state), { mode: 0o600 });
  await rename(draft, file);
}

/** Removes the state of a tunnel and a request to stop it. */
export async function removeState(stateFolder: string, place: TunnelPlace): Promise<void> {
  await rm(fileOf(stateFolder, place), { force: true });
  await rm(stopFileOf(stateFolder, place), { force: true });
}

/** Requests a tunnel to stop. */
export async function requestStop(stateFolder: string, place: TunnelPlace): Promise<void> {
  await writeFile(stopFileOf(stateFolder, place), "", { mode: 0o600 });
}

/** Reports whether a tunnel is requested to stop. */
export async function isStopRequested(stateFolder: string, place: TunnelPlace): Promise<boolean> {
  return stat(stopFileOf(stateFolder, place)).then(
    () => true,
    () => false,
  );
}

/** Reads the states of all tunnels of this machine. Files that are not valid are omitted. */
export async function readStates(stateFolder: string): Promise<readonly TunnelState[]> {
  const folder = folderOf(stateFolder);
  const names = await readdir(folder).catch((): string[] => []);
  const states: TunnelState[] = [];
  for (const name of names.toSorted()) {
    if (!name.endsWith(".json")) continue;
    const text = await readFile(join(folder, name), "utf8").catch(() => "");
    const state = parseState(text);
    if (state !== undefined) states.push(state);
  }
  return states;
}

const textFields = [
  "namespace",
  "name",
  "uid",
  "kubeconfig",
  "context",
  "files",
  "replica",
  "sandbox",
  "service",
  "state",
  "since",
  "routingKey",
  "transport",
  "server",
  "socks",
  "lastError",
];
const numberFields = ["pid", "connections", "open", "failed", "bytesIn", "bytesOut", "refreshedAt", "rttMs"];
const switchFields = ["isOwn", "isReady"];

function parseState(text: string): TunnelState | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return isState(value) ? value : undefined;
}

function isState(value: unknown): value is TunnelState {
  if (!isRecord(value)) return false;
  const ports = ownValue(value, "ports");
  return (
    textFields.every((name) => typeof ownValue(value, name) === "string") &&
    switchFields.every((name) => typeof ownValue(value, name) === "boolean") &&
    numberFields.every((name) => typeof ownValue(value, name) === "number") &&
    Array.isArray(ports) &&
    ports.every((port: unknown) => isRecord(port) && typeof ownValue(port, "name") === "string")
  );
}
