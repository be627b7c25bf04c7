import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";

/** The machine and its load during a run. */
export interface RecordedMachine {
  readonly date: string;
  readonly machine: string;
  /** Load averages of the last minute, before and after the run. */
  readonly load: readonly [before: number, after: number];
}

/** Returns the machine after a run that began with the given load average. */
export function describeMachine(loadBefore: number): RecordedMachine {
  const cores = cpus();
  return {
    date: new Date().toISOString(),
    machine: `${cores.length} cores (${cores[0]?.model ?? "unknown"})`,
    load: [loadBefore, loadavg()[0] ?? 0],
  };
}

/** Returns the sentence about the machine, which `sharers` share. */
export function machineNote({ date, machine, load }: RecordedMachine, sharers: string): string {
  return (
    `Measured on ${date.slice(0, 10)} on a machine with ${machine}, which ${sharers} share ` +
    `(load average ${load[0].toFixed(1)} before, ${load[1].toFixed(1)} after).`
  );
}

/** A page with a part that a command generates, between comments that name the command. */
export interface RecordedPage {
  /** Returns the text of the page. */
  readonly read: () => string;
  /** Writes the generated part of the page. */
  readonly save: (generated: string) => void;
  /** Returns the text of a page with another generated part. Throws if it has no such part. */
  readonly replace: (text: string, generated: string) => string;
}

/** Returns the page at a path below the repository. */
export function recordedPage(path: string, command: string): RecordedPage {
  const url = new URL(`../../../${path}`, import.meta.url);
  const [begin, end] = [`<!-- begin: ${command} -->`, "<!-- end -->"];
  const replace = (text: string, generated: string): string => {
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${path} has no part between ${begin} and ${end}`);
    return [text.slice(0, from + begin.length), "", generated, "", text.slice(to)].join("\n");
  };
  const read = (): string => readFileSync(url, "utf8");
  return {
    read,
    replace,
    save: (generated) => {
      writeFileSync(url, replace(read(), generated));
      console.log(`Recorded the results in ${path}`);
    },
  };
}
