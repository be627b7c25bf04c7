import { processes, statOf } from "./proc.ts";

const msPerTick = 10;

/** Returns the CPU time in milliseconds of this process and of its children: those that have ended, and those that still run. */
export function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1000;
  // proc(5): times 11 and 12 are those of the process, 13 and 14 those of its children that it has waited for. A child that
  // was killed just now is a zombie that no process has waited for yet, and a server may outlive the test.
  const ended = ticks(statOf("self").slice(13, 15));
  const others = children().map((stat) => ticks(stat.slice(11, 15)));
  return own + msPerTick * others.reduce((sum, each) => sum + each, ended);
}

function children(): string[][] {
  const self = String(process.pid);
  return processes()
    .map(statOf)
    .filter(([, parent]) => parent === self);
}

function ticks(fields: readonly string[]): number {
  return fields.reduce((sum, field) => sum + Number(field), 0);
}
