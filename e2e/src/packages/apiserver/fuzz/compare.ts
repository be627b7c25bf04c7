import { isDeepStrictEqual } from "node:util";
import type { Step } from "../cases/case.ts";
import type { Subject, Told } from "../cases/subject.ts";

/** Where two servers part. */
export interface Parting {
  readonly steps: readonly Step[];
  /** The first request that was answered otherwise, and both answers. */
  readonly request: string;
  readonly real: unknown;
  readonly ours: unknown;
}

/** Too many requests, and too late. */
const overloaded: ReadonlySet<number> = new Set([429, 503, 504]);

/** Runs sequences on both servers, each in a namespace of its own. */
export class Comparison {
  readonly #real: Subject;
  readonly #ours: Subject;
  readonly #prefix: string;
  #count = 0;

  /** `name`: what the names of the namespaces begin with. */
  constructor(real: Subject, ours: Subject, name: string) {
    this.#real = real;
    this.#ours = ours;
    this.#prefix = `fuzz-${name}`;
  }

  /** Where the servers part over a sequence; undefined when they do not. */
  async run(steps: readonly Step[], tries = 3): Promise<Parting | undefined> {
    const namespace = `${this.#prefix}-${(this.#count += 1)}`;
    const [real, ours] = await Promise.all([
      this.#tell(this.#real, steps, namespace),
      this.#tell(this.#ours, steps, namespace),
    ]);
    // A machine with too much to do makes the real server give up; that says nothing of what it would have answered.
    if (tries > 1 && real.some(({ status }) => overloaded.has(status))) return this.run(steps, tries - 1);
    const at = real.findIndex((each, index) => !isDeepStrictEqual(each, ours[index]));
    if (at < 0) return undefined;
    return { steps, request: real[at]?.request ?? "", real: real[at], ours: ours[at] };
  }

  /** The shortest part of a sequence that still shows a difference, found by leaving steps out. */
  async shrink(found: Parting, triesMax = 60): Promise<Parting> {
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

  async #tell(subject: Subject, steps: readonly Step[], namespace: string): Promise<Told[]> {
    return subject.run({ steps }, namespace, await subject.begin(namespace));
  }
}

/** A difference as a person reads it: the requests that lead to it, and where the answers part. */
export function told({ steps, request, real, ours }: Parting): string {
  const lines = steps.map((step) => {
    const { do: what, ...rest } = step;
    return `  ${what} ${JSON.stringify(rest)}`;
  });
  return [`the servers part at ${request}, after`, ...lines, ...differences(real, ours, "").slice(0, 6)].join("\n");
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
