import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import type { Client } from "@homeostat/client";
import { HomeostatError, type KubeObject } from "@homeostat/core";
import { sendHttp } from "@homeostat/http";
import { applyManifests } from "@homeostat/testing";
import type { DevArguments } from "./arguments.ts";
import { buildProject } from "./build.ts";
import type { ChildProgram } from "./child-program.ts";
import type { DevContext } from "./dev-context.ts";
import { hasWebhooks, installedObjects, type WebhookServerAddress } from "./installed-objects.ts";
import type { DevProject } from "./project.ts";
import { readManifests } from "./read-manifests.ts";
import { watchFolders } from "./watch-folders.ts";
import type { WebhookCleanup } from "./webhook-cleanup.ts";

/** Time for the operator to become ready; after it, a message says where to look. In milliseconds. */
const readyMs = 60_000;
const pollMs = 25;

const noWebhooks =
  "Webhooks are not installed: the API server needs an address of this machine. Give one with --webhook-host ADDRESS.";

/** Parts that a {@link DevSession} uses. */
export interface SessionParts {
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

/** Builds, installs and starts the operator, and again after each change of a file. */
export class DevSession {
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
      onError: (error) => print(`warning: changes of some files are not noticed any more: ${String(error)}`),
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
    const { args, project, context, client, child, server } = this.#parts;
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
    const objects = installedObjects(manifests, server);
    await child.stop();
    await this.#install(objects);
    if (server === undefined && hasWebhooks(manifests)) print(noWebhooks);
    child.start(project.program, [
      "run",
      ...(args.context === undefined ? [] : ["--context", args.context]),
      ...args.flags,
    ]);
    if (!(await this.#untilReady())) return;
    if (!this.#isApplied) {
      for (const file of args.apply) {
        await applyManifests(client, await readFile(resolve(folder, file), "utf8"));
        print(`Applied ${file}.`);
      }
      this.#isApplied = true;
    }
    print(`The operator is ready after ${Math.round(clock.monotonic() - startedAt)} ms.`);
  }

  /** Applies CRDs and webhook configurations, if they have changed. */
  async #install(objects: readonly KubeObject[]): Promise<void> {
    const { client, context, cleanup } = this.#parts;
    const text = JSON.stringify(objects);
    if (text === this.#installed) return;
    await cleanup.before(objects, context.signal);
    cleanup.after(await applyManifests(client, objects));
    this.#installed = text;
    for (const { kind = "", metadata } of objects) context.print(`Applied ${kind} ${metadata.name ?? ""}.`);
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
