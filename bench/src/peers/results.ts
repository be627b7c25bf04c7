import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { PeerOptions } from "./arguments.ts";
import type { Step } from "./plan.ts";
import type { Row, Sample } from "./summary.ts";

/** Where numbers, logs and profiles go. Git does not see it. */
export const resultsFolder: string = fileURLToPath(new URL("../../results/", import.meta.url));

/** One table, with what it was made of. */
export interface StepResult extends Step {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly samples: readonly Sample[];
}

/** All numbers of a run, for history. Written anew after every contestant, so that a run broken off is not lost. */
export class Results {
  readonly path: string;
  /** The folder for logs and profiles of this run. */
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

  /** The path as somebody in the repository would type it. */
  toString(): string {
    return relative(process.cwd(), this.path);
  }
}
