// The configuration of a member, read from the environment and the files that the operator mounts.

import type { Address } from "../protocol/connection.ts";
import { asObject, readObject } from "./json.ts";
import { clusterId, founderDirectoryId, kafkaId } from "./identity.ts";

/** A founder of the quorum. */
export interface Founder extends Address {
  readonly id: number;
  readonly directoryId: string;
}

/** Paths of the certificates of a member. */
export interface TlsPaths {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
  readonly requiresClientCert: boolean;
}

/** The configuration of a member. */
export interface AdapterConfig {
  readonly role: "controller" | "ingest";
  /** Id in the component contract. */
  readonly nodeId: number;
  /** Id in Kafka. */
  readonly kafkaId: number;
  readonly clusterId: string;
  readonly dataFolder: string;
  /** Address of this member for other members and clients. */
  readonly address: Address;
  /** True if a controller with an empty disk founds the quorum; false if it joins. */
  readonly isFounder: boolean;
  /** Founders of the quorum. Only controllers know them. */
  readonly founders: readonly Founder[];
  /** Addresses of controllers to connect to first. */
  readonly controllers: readonly Address[];
  readonly replicationFactor: number;
  readonly minInSyncReplicas: number;
  /** Settings of Kafka that the user gave. */
  readonly extra: Readonly<Record<string, string>>;
  readonly tls: TlsPaths | undefined;
}

/** Reads the configuration. `files` are the mounted files by path. Throws an Error that names what is missing. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  files: ReadonlyMap<string, string>,
): AdapterConfig {
  const required = (name: string): string => {
    const value = env[name];
    if (value === undefined || value === "") throw new Error(`the variable ${name} is missing`);
    return value;
  };
  const role = required("CHRONIK_ROLE");
  if (role !== "controller" && role !== "ingest") throw new Error(`Kafka has no component ${role}`);
  const folder = required("CHRONIK_CONFIG_PATH");
  const path = required("CHRONIK_CONFIG_FILE");
  const text = files.get(path);
  if (text === undefined) throw new Error(`the file ${path} is missing`);
  const settings = readSettings(text);
  const namespace = required("CHRONIK_NAMESPACE");
  const cluster = required("CHRONIK_CLUSTER_NAME");
  const nodeId = Number(settings.get("node_id"));
  const voters = readVoters(files.get(`${folder}/members.json`));
  const founders = voters.map(({ id, address }) => ({
    id: kafkaId("controller", id),
    directoryId: founderDirectoryId({ namespace, cluster, nodeId: id }),
    ...parseAddress(address),
  }));
  const endpoints = settings.get("controllers.endpoints");
  const advertised = settings.get(role === "controller" ? "advertise.grpc" : "advertise.kafka");
  if (!Number.isSafeInteger(nodeId) || typeof advertised !== "string")
    throw new Error(`${path} has no id or no address`);
  return {
    role,
    nodeId,
    kafkaId: kafkaId(role, nodeId),
    clusterId: clusterId({ namespace, cluster }),
    dataFolder: required("STORAGE_PATH"),
    address: parseAddress(advertised),
    isFounder: settings.get("bootstrap") === true,
    founders,
    controllers: Array.isArray(endpoints) ? endpoints.map((one) => parseAddress(String(one))) : founders,
    replicationFactor: Number(settings.get("replication_factor") ?? 1),
    minInSyncReplicas: Number(settings.get("min_insync_replicas") ?? 1),
    extra: extraSettings(settings, files, folder),
    tls: readTls(env),
  };
}

/** Reads the subset of TOML that the operator writes, in which every value is on one line and has the form of JSON. */
export function readSettings(text: string): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  let table = "";
  for (const line of text.split("\n")) {
    const [, header] = /^\[(.+)\]$/.exec(line) ?? [];
    if (header !== undefined) table = `${header}.`;
    const [, quoted, bare, value] = /^(?:("(?:[^"\\]|\\.)*")|([A-Za-z0-9_-]+)) = (.+)$/.exec(line) ?? [];
    if (value === undefined) continue;
    const key = quoted === undefined ? bare : String(JSON.parse(quoted));
    values.set(`${table}${key}`, JSON.parse(value));
  }
  return values;
}

/** Parses `host:port`. */
export function parseAddress(text: string): Address {
  const [, host, port] = /^([^:]+):(\d+)$/.exec(text) ?? [];
  if (host === undefined) throw new Error(`${JSON.stringify(text)} is not an address of the form host:port`);
  return { host, port: Number(port) };
}

/** Returns the settings of the component and those of all components; the former win. */
function extraSettings(
  settings: ReadonlyMap<string, unknown>,
  files: ReadonlyMap<string, string>,
  folder: string,
): Readonly<Record<string, string>> {
  const prefix = `${folder}/extra.`;
  const common = [...files]
    .filter(([path]) => path.startsWith(prefix))
    .map(([path, text]) => [path.slice(prefix.length), text]);
  const own = [...settings]
    .filter(([key]) => key.startsWith("extra."))
    .map(([key, value]) => [key.slice("extra.".length), String(value)]);
  return Object.fromEntries([...common, ...own]);
}

function readVoters(text: string | undefined): readonly { readonly id: number; readonly address: string }[] {
  const { voters } = readObject(text ?? "");
  if (!Array.isArray(voters)) return [];
  return voters.map((voter: unknown) => {
    const { id, address } = asObject(voter);
    return { id: Number(id), address: String(address) };
  });
}

function readTls(env: Readonly<Record<string, string | undefined>>): TlsPaths | undefined {
  const { TLS_CERT_PATH: cert, TLS_KEY_PATH: key, TLS_CA_PATH: ca } = env;
  if (cert === undefined || key === undefined) return undefined;
  // Members are clients of each other, so each of them must trust the certificates of the others.
  if (ca === undefined) throw new Error("TLS_CA_PATH is missing: Kafka needs mutual TLS");
  return { cert, key, ca, requiresClientCert: env["TLS_REQUIRE_CLIENT_CERT"] === "true" };
}
