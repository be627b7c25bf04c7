import { isDeepStrictEqual } from "node:util";
import type { Step } from "../cases/case.ts";
import type { Subject, ComparedResponse } from "../cases/subject.ts";

/** A difference between two servers. */
export interface ServerDifference {
  readonly steps: readonly Step[];
  /** The first request with different responses, and both responses. */
  readonly request: string;
  readonly real: unknown;
  readonly ours: unknown;
}

/** Statuses of an overloaded server. */
const overloaded: ReadonlySet<number> = new Set([429, 503, 504]);

/** Runs sequences on both servers, each in its own namespace. */
export class Comparison {
  readonly #real: Subject;
  readonly #ours: Subject;
  readonly #prefix: string;
  #count = 0;

  /** Prefix of the names of the namespaces. */
  constructor(real: Subject, ours: Subject, name: string) {
    this.#real = real;
    this.#ours = ours;
    this.#prefix = `fuzz-${name}`;
  }

  /** Returns the first difference of a sequence, or undefined. */
  async run(steps: readonly Step[], tries = 3): Promise<ServerDifference | undefined> {
    const namespace = `${this.#prefix}-${(this.#count += 1)}`;
    const [real, ours] = await Promise.all([
      this.#run(this.#real, steps, namespace),
      this.#run(this.#ours, steps, namespace),
    ]);
    // On an overloaded machine the real server gives up; that says nothing about its behaviour.
    if (tries > 1 && real.some(({ status }) => overloaded.has(status))) return this.run(steps, tries - 1);
    const at = real.findIndex((each, index) => !isDeepStrictEqual(each, ours[index]));
    if (at < 0) return undefined;
    return { steps, request: real[at]?.request ?? "", real: real[at], ours: ours[at] };
  }

  /** Returns the shortest part of a sequence that still shows a difference, found by leaving out steps. */
  async shrink(found: ServerDifference, triesMax = 60): Promise<ServerDifference> {
    let best = found;
    let tries = 0;
    for (let at = best.steps.length - 1; at >= 0 && tries < triesMax; at -= 1) {
      const shorter = best.steps.filter((_, index) => index !== at);
      if (shorter.length === 0) continue;
      tries += 1;
      const again = await this.run(shorter);
      if (again === undefined) continue;
      best = again;
      at = Math.min(at, best.steps.length);
    }
    return best;
  }

  async #run(subject: Subject, steps: readonly Step[], namespace: string): Promise<ComparedResponse[]> {
    return subject.run({ steps }, namespace, await subject.begin(namespace));
  }
}

/** Describes a difference: the requests that lead to it, and the differing parts of the responses. */
export function describeDifference({ steps, request, real, ours }: ServerDifference): string {
  const lines = steps.map((step) => {
    const { do: what, ...rest } = step;
    return `  ${what} ${JSON.stringify(rest)}`;
  });
  return [`the servers differ at ${request}, after`, ...lines, ...differences(real, ours, "").slice(0, 6)].join("\n");
}

function differences(real: unknown, ours: unknown, path: string): string[] {
  if (isDeepStrictEqual(real, ours)) return [];
  if (isObject(real) && isObject(ours)) {
    const keys = new Set([...Object.keys(real), ...Object.keys(ours)]);
    return [...keys].flatMap((key) => differences(real[key], ours[key], `${path}.${key}`));
  }
  return [`${path}\n    real ${JSON.stringify(real)}\n    ours ${JSON.stringify(ours)}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
