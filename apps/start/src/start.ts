import { type Clock, systemClock } from "@homeostat/core";
import { createOperatorManager, type Manifest } from "@homeostat/operator";
import { silentLogger, textLogger } from "@homeostat/runtime";
import type { StartArguments } from "./arguments.ts";
import { applyAll, type Made } from "./cluster/apply-all.ts";
import { embeddedPlace } from "./cluster/embedded.ts";
import { givenPlace } from "./cluster/given.ts";
import type { Place } from "./cluster/place.ts";
import type { Exhibit } from "./exhibit.ts";
import { elapsed } from "./view/numbers.ts";
import { type Output, Screen } from "./view/screen.ts";

/** What the program uses of the process around it. */
export interface Surroundings {
  readonly output: Output;
  readonly exhibits: readonly Exhibit[];
  /** Aborts when everything is to stop. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/**
 * Runs a cluster, the operators and their samples until the signal aborts, or once until all samples have come to their ends.
 *
 * Returns whether all samples that ended did so well.
 */
export async function start(wanted: StartArguments, surroundings: Surroundings): Promise<boolean> {
  const { output, exhibits, signal, clock = systemClock } = surroundings;
  const screen = new Screen(output, clock);
  const begun = clock.monotonic();
  const told = (text: string): void => screen.line(`${elapsed(clock.monotonic() - begun)}  ${text}`);
  const failed = (error: unknown): void =>
    screen.line(`warning: ${error instanceof Error ? error.message : String(error)}`);

  screen.line("Homeostat starts.");
  await using place = await placeOf(wanted, { clock, signal, onError: failed });
  told(`${place.title} at ${place.url}`);
  // The operators outlive the wish to stop: deleting the samples is their work too.
  const stopping = new AbortController();
  const running: Promise<unknown>[] = [];
  const made: Made[] = [];
  const making = { clock, signal, onMade: (one: Made) => void made.push(one) };
  const { failure, fail } = firstFailure();
  const ends: boolean[] = [];
  const over = new AbortController();
  const onEnd = (isWell: boolean): void => {
    ends.push(isWell);
    if (wanted.isOnce && ends.length === exhibits.length) over.abort();
  };
  try {
    for (const { operator, check } of exhibits) {
      await check?.(place.client, signal);
      await place.install(operator, signal);
      const log = wanted.isVerbose ? textLogger({ write: (line) => screen.line(line.trimEnd()) }) : silentLogger;
      const manager = createOperatorManager(operator, { ...place.managerOptions(operator), log, clock });
      running.push(manager.run(stopping.signal).catch(fail));
      told(`${operator.name} runs`);
    }
    for (const line of greeting(place, exhibits, wanted)) screen.line(line);
    if (wanted.hasSamples) {
      await applyAll(place.client, [namespaceOf(wanted)], making);
      for (const { sample, show } of exhibits) {
        const stage = { client: place.client, screen, clock, namespace: wanted.namespace, say: told, onEnd };
        running.push(show(stage, AbortSignal.any([signal, over.signal])).catch(fail));
        await applyAll(place.client, await sample(wanted.namespace), making);
      }
    }
    await Promise.race([aborted(signal), aborted(over.signal), failure]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    over.abort();
    screen.live("");
    screen.line("Stopping.");
    using deadline = clock.timeout(takeBackMs);
    await place.takeBack(made, exhibits, deadline.signal).catch(failed);
    stopping.abort(new Error("everything stops"));
    await Promise.allSettled(running);
  }
  return ends.every((isWell) => isWell);
}

/** How long the samples may take to go from a cluster that stays. */
const takeBackMs = 60_000;

function placeOf(
  { kubeconfig, context, port }: StartArguments,
  tools: { readonly clock: Clock; readonly signal: AbortSignal; readonly onError: (error: unknown) => void },
): Promise<Place> {
  return kubeconfig === undefined
    ? embeddedPlace({ port, clock: tools.clock, onError: tools.onError })
    : givenPlace({ file: kubeconfig, context }, tools);
}

function namespaceOf({ namespace }: StartArguments): Manifest {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
}

function greeting(
  { kubeconfig }: Place,
  exhibits: readonly Exhibit[],
  { namespace, hasSamples }: StartArguments,
): string[] {
  return [
    "",
    "In another terminal:",
    `  export KUBECONFIG=${quoted(kubeconfig)}`,
    ...(hasSamples ? exhibits.map(({ look }) => `  ${look(namespace)}`) : []),
    "",
    "Ctrl-C stops everything.",
    "",
  ];
}

/** A word as a shell reads it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** A promise that is rejected with the first error that is told to it. */
function firstFailure(): { readonly failure: Promise<never>; readonly fail: (error: unknown) => void } {
  let fail: (error: unknown) => void = () => undefined;
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Nobody may be waiting any more when it happens.
  failure.catch(() => undefined);
  return { failure, fail };
}
