import { FakeClock, SeededRandom } from "@homeostat/core";
import type { Exit } from "../node/exit.ts";
import { Network } from "../node/network.ts";
import type { ProgramContext } from "../node/program.ts";

/** A container without a node for tests of an app model, with a record of everything that the model did. */
export interface ModelContainer {
  /** The argument of `AppModel.start`. */
  readonly context: ProgramContext;
  /** Texts that the program printed. */
  readonly printed: readonly string[];
  /** Arguments of the calls of `context.exit`. */
  readonly exits: readonly Exit[];
}

/** Properties of the context that a test overrides. */
export type ModelContainerOptions = Partial<Omit<ProgramContext, "container" | "pod">> & {
  readonly pod?: Partial<ProgramContext["pod"]>;
};

/**
 * Builds a container for an app model: pod `default/web` with the address 10.0.0.2, a fake clock, and a network of
 * its own.
 *
 * @example
 * const { context, exits } = modelContainer({ image: "store:1" });
 * const program = storeModel.start(context);
 */
export function modelContainer(
  container: Partial<ProgramContext["container"]>,
  options: ModelContainerOptions = {},
): ModelContainer {
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
    volumes: new Map(),
    print: (text) => void printed.push(text),
    exit: (exit) => void exits.push(exit),
    ...options,
    pod: { namespace: "default", name: "web", uid: "u1", ip: "10.0.0.2", labels: {}, ...options.pod },
    container: { name: "main", image: "app:1", command: [], args: [], ports: [], ...container },
  };
  return { context, printed, exits };
}
