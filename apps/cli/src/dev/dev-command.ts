import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { chronikModel } from "@homeostat/chronik-operator/app-model";
import { type Client, type Connection, createClient, loadConnection } from "@homeostat/client";
import { manifestDocuments } from "@homeostat/client/manifests";
import { startCluster } from "@homeostat/cluster";
import { type Clock, HomeostatError, isRecord, type KubeObject, UsageError } from "@homeostat/core";
import { loopbackEndpoint, serveOnLoopback } from "@homeostat/dashboard";
import { freePorts, sendHttp } from "@homeostat/http";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { locustModel } from "@homeostat/locust-operator/app-model";
import { silentLogger } from "@homeostat/runtime";
import { redisModel } from "@homeostat/tenant-operator/app-model";
import { applyManifests } from "@homeostat/testing";
import { kubeconfigFile } from "../kubeconfig-file.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import type { DevArguments } from "./arguments.ts";
import { buildProject } from "./build.ts";
import { ChildProgram } from "./child-program.ts";
import { hasWebhooks, installedObjects, type WebhookServerAddress } from "./installed-objects.ts";
import { type DevProject, readProject } from "./project.ts";
import { watchFolders } from "./watch-folders.ts";
import { WebhookCleanup } from "./webhook-cleanup.ts";
import { writeWebhookCertificate } from "./webhook-certificate.ts";

/** Parts of the process that the command uses. */
export interface DevContext {
  readonly print: (line: string) => void;
  /** Writes the output of the operator as it is. */
  readonly write: (text: string) => void;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Time for the operator to become ready; after it, a message says where to look. In milliseconds. */
const readyMs = 60_000;
const pollMs = 25;

/**
 * Runs an operator against a cluster, and builds and starts it again after each change of its sources, until the signal aborts. The cluster, its objects
 * and the dashboard stay. Returns the exit code.
 */
export async function devCommand(args: DevArguments, context: DevContext): Promise<number> {
  const { print, folder, clock, signal } = context;
  const project = await readProject(args, folder);
  await using target = await openTarget(args, context);
  using client = createClient(target.connection, { userAgent: "homeostat-dev" });
  // An unreachable cluster is reported here, and not by the operator.
  const { gitVersion } = await client.version({ signal });
  await createNamespace(client, args.namespace, signal);
  const [healthPort = 0, metricsPort = 0, webhookPort = 0] = await freePorts(3);
  const host = target.webhookHost;
  await using files = await temporaryFolder();
  const server: WebhookServerAddress | undefined =
    host === undefined
      ? undefined
      : {
          host,
          port: webhookPort,
          authority: await writeWebhookCertificate(files, { host, now: clock.now() }),
        };
  await using dashboard = await serveOnLoopback({
    client,
    connection: target.connection,
    port: args.dashboardPort,
    findOperators: () => Promise.resolve([loopbackEndpoint("operator", () => healthPort)]),
    assets: new URL(".", import.meta.resolve("#page/index.html")),
    onError: (error) => print(`warning: ${textOf(error)}`),
  });
  for (const line of greeting({ target, gitVersion, dashboard: dashboard.url, metricsPort })) print(line);
  const child = new ChildProgram({
    folder,
    clock,
    write: context.write,
    onExit: (how) => {
      // An interrupt from the terminal reaches the operator as well.
      if (!signal.aborted) print(`The operator ended with ${how}. Save a file to start it again.`);
    },
    env: {
      ...context.env,
      KUBECONFIG: target.kubeconfig,
      POD_NAMESPACE: args.namespace,
      LOG_FORMAT: "text",
      HEALTH_PROBE_BIND_ADDRESS: `127.0.0.1:${healthPort}`,
      METRICS_BIND_ADDRESS: `127.0.0.1:${metricsPort}`,
      ...(server === undefined
        ? { ENABLE_WEBHOOKS: "false" }
        : { WEBHOOK_PORT: String(webhookPort), WEBHOOK_CERT_DIR: files.path }),
    },
  });
  const stateFile = join(files.path, "tsbuildinfo");
  const cleanup = new WebhookCleanup(client);
  const session = new DevSession({ args, project, context, client, child, server, healthPort, stateFile, cleanup });
  try {
    await session.run();
  } finally {
    await child.stop();
    if (target.isExisting)
      for (const left of await cleanup.run())
        print(`${left} existed before and leads to this machine: apply the manifests of its installation again.`);
  }
  print("Stopping.");
  return 0;
}

async function createNamespace(client: Client, name: string, signal: AbortSignal): Promise<void> {
  if ((await client.get(Namespace, { name }, { signal })) !== undefined) return;
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } }, { signal });
}

interface SessionParts {
  readonly args: DevArguments;
  readonly project: DevProject;
  readonly context: DevContext;
  readonly client: Client;
  readonly child: ChildProgram;
  readonly server: WebhookServerAddress | undefined;
  readonly healthPort: number;
  /** File in which the compiler keeps its state. */
  readonly stateFile: string;
  readonly cleanup: WebhookCleanup;
}

/** Builds, installs and starts the operator again and again. */
class DevSession {
  readonly #parts: SessionParts;
  #installed = "";
  #isApplied = false;
  #changed: string | undefined;
  #wake: (() => void) | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { project, context } = this.#parts;
    const { clock, print, signal } = context;
    signal.addEventListener("abort", () => this.#wake?.(), { once: true });
    using _ = watchFolders(project.watched, {
      ignored: project.ignored,
      clock,
      onChange: (path) => {
        this.#changed = path;
        this.#wake?.();
      },
      onError: (error) => print(`warning: changes of files are not noticed any more: ${textOf(error)}`),
    });
    while (!signal.aborted) {
      const changed = this.#changed;
      this.#changed = undefined;
      try {
        await this.#cycle(changed);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof HomeostatError)) throw error;
        print(error.message);
        print("Save a file to try again.");
      }
      await this.#nextChange(signal);
    }
  }

  /** Waits for a change of a file since the last cycle began. */
  async #nextChange(signal: AbortSignal): Promise<void> {
    if (this.#changed !== undefined || signal.aborted) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }

  async #cycle(changed: string | undefined): Promise<void> {
    const { args, project, context, client, child } = this.#parts;
    const { print, clock, folder, signal } = context;
    const startedAt = clock.monotonic();
    if (changed !== undefined) print(`${relative(folder, changed)} has changed.`);
    const { isDone, output } = await buildProject(project, { stateFile: this.#parts.stateFile, signal });
    if (!isDone) {
      print(output);
      print(child.isRunning ? "The build has failed. The operator runs as it was." : "The build has failed.");
      return;
    }
    const manifests = await readManifests(project, args, signal);
    await child.stop();
    await this.#install(manifests);
    child.start(project.program, [
      "run",
      ...(args.context === undefined ? [] : ["--context", args.context]),
      ...args.flags,
    ]);
    if (!(await this.#untilReady())) return;
    if (!this.#isApplied) {
      this.#isApplied = true;
      for (const file of args.apply) {
        await applyManifests(client, await readFile(resolve(folder, file), "utf8"));
        print(`Applied ${file}.`);
      }
    }
    print(`The operator is ready after ${Math.round(clock.monotonic() - startedAt)} ms.`);
  }

  /** Applies CRDs and webhook configurations, if they have changed. */
  async #install(manifests: readonly KubeObject[]): Promise<void> {
    const { client, server, context, cleanup } = this.#parts;
    const objects = installedObjects(manifests, server);
    const text = JSON.stringify(objects);
    if (text === this.#installed) return;
    await cleanup.before(objects, context.signal);
    cleanup.after(await applyManifests(client, objects));
    this.#installed = text;
    for (const { kind = "", metadata } of objects) context.print(`Applied ${kind} ${metadata.name ?? ""}.`);
    if (server === undefined && hasWebhooks(manifests))
      context.print(
        "Webhooks are not installed: the API server needs an address of this machine. Give one with --webhook-host ADDRESS.",
      );
  }

  /** Waits until the operator is ready. Returns false if it has ended, or a file has changed meanwhile. */
  async #untilReady(): Promise<boolean> {
    const { child, healthPort, context } = this.#parts;
    const { clock, print, signal } = context;
    const endAt = clock.monotonic() + readyMs;
    let isLate = false;
    while (child.isRunning && this.#changed === undefined && !signal.aborted) {
      if (await isReady(healthPort, signal)) return true;
      if (!isLate && clock.monotonic() > endAt) {
        isLate = true;
        print(
          `The operator is not ready after ${readyMs / 1_000} s; see http://127.0.0.1:${healthPort}/readyz?verbose`,
        );
      }
      await clock.sleep(pollMs, signal).catch(() => undefined);
    }
    return false;
  }
}

async function isReady(port: number, signal: AbortSignal): Promise<boolean> {
  try {
    const request = { method: "GET", host: "127.0.0.1", port, path: "/readyz", signal, bodyBytesMax: 100_000 };
    return (await sendHttp(request)).status === 200;
  } catch {
    // It does not listen yet.
    return false;
  }
}

/** Runs the command `manifests` of the program, and returns the objects that it prints. */
async function readManifests(
  { program, folder }: DevProject,
  { namespace }: DevArguments,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const words = ["--enable-source-maps", program, "manifests", "--namespace", namespace];
  const output = await new Promise<string>((done, fail) => {
    execFile(process.execPath, words, { cwd: folder, signal, maxBuffer: 64 * 1024 * 1024 }, (error, out, errors) => {
      if (error === null) done(out);
      else
        fail(
          new UsageError(`The program does not print its manifests. It must call runOperator.\n${errors.trim()}`, {
            cause: error,
          }),
        );
    });
  });
  return manifestDocuments(output, "the manifests").filter(isObject);
}

function isObject(value: unknown): value is KubeObject {
  return isRecord(value) && typeof value["kind"] === "string" && isRecord(value["metadata"]);
}

/** The cluster of a session. */
interface Target extends AsyncDisposable {
  readonly connection: Connection;
  /** File that the operator and kubectl use. */
  readonly kubeconfig: string | undefined;
  /** Address at which the API server reaches this machine; undefined if it does not. */
  readonly webhookHost: string | undefined;
  /** True if the cluster stays after the command. */
  readonly isExisting: boolean;
  readonly text: string;
}

async function openTarget(args: DevArguments, { print, env }: DevContext): Promise<Target> {
  const { kubeconfig, context, webhookHost, data } = args;
  if (kubeconfig !== undefined || context !== undefined) {
    const connection = await loadConnection({
      ...(kubeconfig === undefined ? {} : { file: kubeconfig }),
      ...(context === undefined ? {} : { context }),
    });
    return {
      connection,
      kubeconfig: kubeconfig === undefined ? env["KUBECONFIG"] : resolve(kubeconfig),
      webhookHost,
      isExisting: true,
      text: `at ${connection.server}`,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  const cluster = await startCluster({
    ...(data === undefined ? {} : { data }),
    log: silentLogger,
    models: [chronikModel, locustModel, redisModel],
    onError: (error) => print(`warning: ${textOf(error)}`),
  });
  const file = await kubeconfigFile(undefined);
  await cluster.writeKubeconfig(file.path);
  return {
    connection: cluster.connection(),
    kubeconfig: file.path,
    webhookHost: "127.0.0.1",
    isExisting: false,
    text:
      data === undefined ? "in this process, without a data directory" : `in this process, with its state in ${data}`,
    async [Symbol.asyncDispose]() {
      await file[Symbol.asyncDispose]();
      await cluster.stop();
    },
  };
}

function greeting({
  target,
  gitVersion,
  dashboard,
  metricsPort,
}: {
  readonly target: Target;
  readonly gitVersion: string;
  readonly dashboard: string;
  readonly metricsPort: number;
}): string[] {
  return [
    `Kubernetes ${gitVersion} ${target.text}`,
    ...(target.kubeconfig === undefined ? [] : [`  export KUBECONFIG=${target.kubeconfig}`]),
    "Objects, reconciles and logs in a browser (the link works once):",
    `  ${dashboard}`,
    `Metrics: http://127.0.0.1:${metricsPort}/metrics`,
    "Press Ctrl-C to stop.",
    "",
  ];
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
