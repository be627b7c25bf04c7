import type { Flag } from "./flag.ts";

/** How a flag is written on the command line: `maxUsers` is `max-users`. */
export function flagName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The environment variable of a flag: `maxUsers` is `MAX_USERS` unless it has one of its own; undefined for none. */
export function variableName(name: string, { env }: Pick<Flag, "env">): string | undefined {
  if (env === null) return undefined;
  return env ?? flagName(name).replaceAll("-", "_").toUpperCase();
}

/** Whether a name can be a flag's: the code's name for it, in camel case. */
export function isFlagName(name: string): boolean {
  return /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)*$/.test(name);
}
