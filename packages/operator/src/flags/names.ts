import type { Flag } from "./flag.ts";

/** Returns the name of a flag on the command line: `max-users` for `maxUsers`. */
export function flagName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns the environment variable of a flag: `MAX_USERS` for `maxUsers` unless `env` names another one, undefined if it has none. */
export function variableName(name: string, { env }: Pick<Flag, "env">): string | undefined {
  if (env === null) return undefined;
  return env ?? flagName(name).replaceAll("-", "_").toUpperCase();
}

/** Reports whether a name is a valid camel case name of a flag. */
export function isFlagName(name: string): boolean {
  return /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)*$/.test(name);
}
