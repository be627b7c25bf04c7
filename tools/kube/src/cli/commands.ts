import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "./arguments.ts";
import { findBinaries } from "../builds/binaries.ts";
import { build } from "../builds/build.ts";
import { cleanOrphans, down } from "../clusters/down.ts";
import { ClusterStateError } from "../errors.ts";
import { helpText } from "./help.ts";
import { importBase, importFolder, importPause, makePause, nodesOf } from "../images/image.ts";
import { type Environment, binariesFolder, clusterFolder } from "../cache/paths.ts";
import { requireMachine } from "../nodes/requirements.ts";
import { clusterNames, clusterPaths, readRecord, clusterState } from "../records/state.ts";
import { listText, statusOf, statusText } from "./status.ts";
import { monotonicMs } from "../processes/time.ts";
import { type Running, up } from "../clusters/up.ts";

/** Environment of a command. */
export interface CommandContext {
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Writes to stdout, for programs. */
  readonly print: (line: string) => void;
  /** Writes to stderr, for people. */
  readonly report: (line: string) => void;
}

/** Runs a command. Returns the exit code. */
export async function execute(command: Command, context: CommandContext): Promise<number> {
  const { env, print, report } = context;
  switch (command.run) {
    case "help":
      print(helpText(command.about));
      return 0;
    case "build":
      report(`Kubernetes is built in ${await build(command.binaries, context)}`);
      if (command.withPause) await makePause(context);
      return 0;
    case "up": {
      const kind = command.apiserverOnly ? ("apiserver" as const) : ("control-plane" as const);
      await startAndTell({ ...context, ...command, kind });
      return 0;
    }
    case "node":
      await requireMachine("node", { ...context, install: command.install });
      await startAndTell({ ...context, ...command, kind: "node" });
      return 0;
    case "image":
      await putImage(command, context);
      return 0;
    case "down":
      return stop(command, context);
    case "env":
      for (const line of envLines(command, context)) print(line);
      return 0;
    case "status": {
      const status = await statusOf(env, command.name);
      if (status === undefined) throw noCluster(command.name);
      print(statusText(status));
      return status.healthy ? 0 : 1;
    }
    case "list":
      await cleanOrphans(context);
      print(listText(await Promise.all(clusterNames(env).map(async (name) => statusOf(env, name)))));
      return 0;
  }
}

async function startAndTell(options: CommandContext & Parameters<typeof up>[0]): Promise<void> {
  const started = monotonicMs();
  const running = await up(options);
  const seconds = ((monotonicMs() - started) / 1000).toFixed(1);
  const { name } = running.record;
  options.report(
    running.already ? `cluster ${name} is already running` : `cluster ${name} is ready after ${seconds} s`,
  );
  options.print(exportKubeconfig(running));
}

function exportKubeconfig({ folder }: Pick<Running, "folder">): string {
  return `export KUBECONFIG=${shellQuote(clusterPaths(folder).kubeconfig)}`;
}

async function putImage(command: Command & { run: "image" }, context: CommandContext): Promise<void> {
  const nodes = nodesOf(command.name, context);
  const { image } = command;
  switch (image.what) {
    case "pause":
      await importPause(nodes, context);
      break;
    case "base":
      await importBase(nodes, { ...context, install: command.install });
      break;
    case "dir":
      await importFolder(
        nodes,
        image.folder,
        { names: [image.name], entrypoint: image.entrypoint, cmd: image.cmd, user: image.user, env: image.env },
        context,
      );
      break;
  }
  context.report(`image ${image.what === "dir" ? image.name : image.what} is imported into cluster ${command.name}`);
}

async function stop({ names, keep }: Command & { run: "down" }, context: CommandContext): Promise<number> {
  await cleanOrphans(context);
  const chosen = names === "all" ? clusterNames(context.env) : names;
  for (const name of chosen) {
    const found = await down(name, { ...context, keep });
    context.report(
      found ? `cluster ${name} is ${keep ? "stopped; its data is kept" : "removed"}` : `cluster ${name} does not exist`,
    );
  }
  if (chosen.length === 0) context.report("there are no clusters");
  return 0;
}

function envLines(command: Command & { run: "env" }, { env, report }: CommandContext): string[] {
  const record = readRecord(env, command.name);
  const runs = record !== undefined && clusterState(record) === "running";
  if (!runs && command.nameGiven) throw noCluster(command.name);
  if (!runs) report("no cluster is running, so KUBECONFIG is not set");
  const lines = runs ? [exportKubeconfig({ folder: clusterFolder(env, command.name) })] : [];
  const { folder } = findBinaries("apiserver", env);
  if (existsSync(join(folder, "kube-apiserver"))) lines.push(`export KUBEBUILDER_ASSETS=${shellQuote(folder)}`);
  const own = binariesFolder(env);
  if (existsSync(join(own, "kubectl"))) lines.push(`export PATH=${shellQuote(own)}:"$PATH"`);
  return lines;
}

function noCluster(name: string): ClusterStateError {
  return new ClusterStateError(
    `Cluster ${name} is not running. Start it: npm run kube -- up${name === "default" ? "" : ` --name ${name}`}`,
  );
}

/** Quotes a word for the shell. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
