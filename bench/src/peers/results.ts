import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { PeerOptions } from "./arguments.ts";
import type { Step } from "./plan.ts";
import type { Row, Sample } from "./summary.ts";

/** Folder of results, logs and profiles, ignored by git. */
export const resultsFolder: string = fileURLToPath(new URL("../../results/", import.meta.url));

/** A step with its samples. */
export interface StepResult extends Step {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly samples: readonly Sample[];
}

/** All results of a run. The file is rewritten after every runtime, so that an interrupted run is not lost. */
export class Results {
  readonly path: string;
  /** Folder of logs and profiles of this run. */
  readonly folder: string;
  readonly #head: object;
  readonly #steps = new Map<Step, StepResult>();

  constructor(options: PeerOptions, facts: Readonly<Record<string, unknown>>) {
    const date = new Date().toISOString();
    const name = date.slice(0, 19).replaceAll(":", "-");
    this.path = options.json ?? join(resultsFolder, `${name}.json`);
    this.folder = join(resultsFolder, name);
    mkdirSync(this.folder, { recursive: true });
    mkdirSync(dirname(this.path), { recursive: true });
    const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memoryBytes: totalmem() };
    this.#head = { date, machine, ...facts, options };
  }

  set(step: Step, result: StepResult): void {
    this.#steps.set(step, result);
    writeFileSync(this.path, `${JSON.stringify({ ...this.#head, steps: [...this.#steps.values()] }, null, 2)}\n`);
  }

  /** Returns the path relative to the repository. */
  toString(): string {
    return relative(process.cwd(), this.path);
  }
}
