// The configuration of a stub, read from the files that the operator mounts, as a real component reads it.

import { isRecord } from "@homeostat/core";

/** A founder of the quorum, from `members.json`. */
export interface Founder {
  readonly id: number;
  readonly address: string;
}

/** The configuration of a component. */
export interface StubConfig {
  readonly role: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly nodeId: number;
  /** Host and port at which other members connect to this one. */
  readonly address: string;
  /** True if an empty controller founds the quorum; false if it joins. */
  readonly isFounder: boolean;
  readonly founders: readonly Founder[];
  readonly adminApiKey: string | undefined;
  /** Comma-separated misbehaviors. */
  readonly misbehave: string;
  /** All settings by name: `advertise.grpc`. */
  readonly settings: ReadonlyMap<string, string>;
}

const folder = "/etc/chronik/config";

/** Reads the environment and the mounted files of a component. */
export function readStubConfig(env: ReadonlyMap<string, string>, files: ReadonlyMap<string, string>): StubConfig {
  const path = env.get("CHRONIK_CONFIG_PATH") ?? folder;
  const role = env.get("CHRONIK_ROLE") ?? "";
  const pod = env.get("POD_NAME") ?? "";
  const own = files.get(env.get("CHRONIK_CONFIG_FILE") ?? `${path}/${pod}.toml`) ?? "";
  const settings = readToml(own);
  const index = Number(env.get("CHRONIK_POD_INDEX") ?? "0");
  const host = env.get("CHRONIK_ADVERTISE") ?? pod;
  return {
    role,
    cluster: env.get("CHRONIK_CLUSTER_NAME") ?? settings.get("cluster") ?? "",
    namespace: env.get("CHRONIK_NAMESPACE") ?? env.get("POD_NAMESPACE") ?? "",
    nodeId: Number(settings.get("node_id") ?? index + 1),
    address: settings.get("advertise.grpc") ?? settings.get("advertise.kafka") ?? `${host}:9090`,
    isFounder: settings.get("bootstrap") === "true",
    founders: readMembers(files.get(`${path}/members.json`)),
    adminApiKey: env.get("CHRONIK_ADMIN_API_KEY"),
    misbehave: [env.get("CHRONIK_MISBEHAVE"), settings.get("extra.misbehave"), files.get(`${path}/extra.misbehave`)]
      .filter((one) => one !== undefined)
      .join(","),
    settings,
  };
}

/**
 * Reads the subset of TOML that the operator writes: tables, and keys with a string, number, boolean or list on one line. Returns the values as
 * text by their full name.
 */
export function readToml(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let table = "";
  for (const line of text.split("\n")) {
    const header = /^\s*\[([^\]]+)\]\s*(?:#.*)?$/.exec(line)?.[1];
    if (header !== undefined) {
      table = `${unquote(header.trim())}.`;
      continue;
    }
    const [, key, value] = /^\s*("(?:[^"\\]|\\.)*"|[A-Za-z0-9_.-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    const [, quoted] = /^("(?:[^"\\]|\\.)*")\s*(?:#.*)?$/.exec(value) ?? [];
    values.set(`${table}${unquote(key)}`, quoted === undefined ? value.replace(/\s+#.*$/, "") : unquote(quoted));
  }
  return values;
}

function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  // Basic strings of TOML are JSON strings, except for escapes that the operator does not write.
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

function readMembers(text: string | undefined): readonly Founder[] {
  if (text === undefined) return [];
  const value: unknown = JSON.parse(text);
  const voters: unknown = isRecord(value) ? value["voters"] : undefined;
  if (!Array.isArray(voters)) return [];
  return voters.flatMap((voter: unknown) => {
    if (!isRecord(voter)) return [];
    const { id, address } = voter;
    return typeof id === "number" && typeof address === "string" ? [{ id, address }] : [];
  });
}
