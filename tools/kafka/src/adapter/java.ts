// The Java process of a member.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import type { AdapterConfig } from "./config.ts";
import { addressText, kafkaProperties } from "./properties.ts";

const java = "/opt/java/bin/java";
const scratch = "/tmp";
const heapMegabytes = { controller: 96, ingest: 192 } as const;

/** Arguments of every Java process of the image. The class archive halves the time to start. */
export const commonArguments: readonly string[] = [
  "-XX:+UseSerialGC",
  "-XX:TieredStopAtLevel=1",
  "-XX:-UsePerfData",
  "-XX:SharedArchiveFile=/opt/kafka/classes.jsa",
  "-Xss512k",
  "-Dlog4j2.configurationFile=/opt/kafka/log4j2.properties",
  "-cp",
  "/opt/kafka/lib/*",
];

/** Returns the folder with the log of a member. */
export function logFolderOf({ dataFolder }: Pick<AdapterConfig, "dataFolder">): string {
  return join(dataFolder, "kafka");
}

/** Returns the directory id of a member: its incarnation. */
export function readDirectoryId(config: AdapterConfig): string {
  const text = readFileSync(join(logFolderOf(config), "meta.properties"), "utf8");
  const [, id] = /^directory\.id=(.+)$/m.exec(text) ?? [];
  if (id === undefined) throw new Error("meta.properties has no directory.id");
  return id;
}

/**
 * Prepares an empty volume, and leaves another one as it is.
 *
 * The folder is prepared under another name and renamed, so that a process that was killed here starts again with an empty volume.
 */
export async function prepareVolume(config: AdapterConfig, keyStore: string | undefined): Promise<void> {
  const logFolder = logFolderOf(config);
  if (existsSync(logFolder)) return;
  const draft = `${logFolder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  if (config.role === "controller") await formatController(config, { logFolder: draft, keyStore });
  else writeFileSync(join(draft, "meta.properties"), brokerIdentity(config));
  renameSync(draft, logFolder);
}

function brokerIdentity({ clusterId, kafkaId }: AdapterConfig): string {
  const directoryId = Buffer.from(randomUUID().replaceAll("-", ""), "hex").toString("base64url");
  return `version=1\ncluster.id=${clusterId}\nnode.id=${kafkaId}\ndirectory.id=${directoryId}\n`;
}

async function formatController(
  config: AdapterConfig,
  paths: { readonly logFolder: string; readonly keyStore: string | undefined },
): Promise<void> {
  const { founders, isFounder, clusterId } = config;
  const file = writeProperties(config, paths);
  const list = founders.map((one) => `${one.id}@${addressText(one)}:${one.directoryId}`);
  const choice = isFounder ? ["--initial-controllers", list.join(",")] : ["--no-initial-controllers"];
  const args = [...commonArguments, "kafka.tools.StorageTool", "format", "-t", clusterId, "-c", file, ...choice];
  const child = spawn(java, args, { stdio: ["ignore", "inherit", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`formatting the volume failed with exit code ${String(code)}`);
}

/** Starts Kafka. */
export function startKafka(config: AdapterConfig, keyStore: string | undefined): ChildProcess {
  const file = writeProperties(config, { logFolder: logFolderOf(config), keyStore });
  const heap = `-Xmx${heapMegabytes[config.role]}m`;
  return spawn(java, [heap, ...commonArguments, "kafka.Kafka", file], { stdio: ["ignore", "inherit", "inherit"] });
}

function writeProperties(
  config: AdapterConfig,
  paths: { readonly logFolder: string; readonly keyStore: string | undefined },
): string {
  const file = join(scratch, "server.properties");
  writeFileSync(file, kafkaProperties(config, paths));
  return file;
}

/** Writes the certificate and the key into one file, as Kafka reads them. Returns its path; undefined without TLS. */
export function writeKeyStore({ tls }: AdapterConfig): string | undefined {
  if (tls === undefined) return undefined;
  const path = join(scratch, "keystore.pem");
  writeFileSync(path, `${readFileSync(tls.key, "utf8").trimEnd()}\n${readFileSync(tls.cert, "utf8")}`, { mode: 0o600 });
  return path;
}
