import { type Clock, FakeClock, SeededRandom } from "@homeostat/core";
import type { Exit } from "../node/exit.ts";
import { Network } from "../node/network.ts";
import type { ProgramContext } from "../node/program.ts";

/** A container for a model, and what came of it. */
export interface ContainerBench {
  readonly context: ProgramContext;
  readonly printed: string[];
  readonly exits: Exit[];
}

/** Makes a container for a model. */
export function containerBench(
  container: Partial<ProgramContext["container"]>,
  more: Partial<Omit<ProgramContext, "container" | "pod">> & {
    readonly pod?: Partial<ProgramContext["pod"]>;
    readonly clock?: Clock;
  } = {},
): ContainerBench {
  const printed: string[] = [];
  const exits: Exit[] = [];
  const context: ProgramContext = {
    env: new Map(),
    options: {},
    restarts: 0,
    clock: new FakeClock(),
    random: new SeededRandom(1),
    network: new Network(),
    files: new Map(),
    print: (text) => void printed.push(text),
    exit: (exit) => void exits.push(exit),
    ...more,
    pod: { namespace: "default", name: "web", uid: "u1", ip: "10.0.0.2", labels: {}, ...more.pod },
    container: { name: "main", image: "app:1", command: [], args: [], ports: [], ...container },
  };
  return { context, printed, exits };
}

/** Waits, in real time, until something is there. */
export async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 500; tries += 1) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error("it never came");
}
