import { parseIntegerOption, UsageError } from "@homeostat/core";
import { defaultLimits, type ProxyLimits } from "@homeostat/proxy";

/** Limits of the engines, and of the program around them. */
export interface ProgramLimits extends ProxyLimits {
  /** Time between the failing readiness probe and the end of accepting, in which Services stop sending new connections. */
  readonly shutdownDelayMs: number;
}

export const defaultProgramLimits: ProgramLimits = { ...defaultLimits, shutdownDelayMs: 5_000 };

/** The longest time of a timer. */
const valueMax = 2 ** 31 - 1;
/** Limits for which zero has a meaning. */
const zeroAllowed: ReadonlySet<string> = new Set(["retriesMax", "shutdownDelayMs", "idleUpstreamsMax"]);

/** Reads limits that differ from their defaults: `connectMs=2000,streamIdleMs=60000`. Throws a {@link UsageError} that names the first invalid part. */
export function parseLimits(text: string): ProgramLimits {
  const changed: [string, number][] = text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => {
      const [, name = "", value = ""] = /^([A-Za-z]+)=(.*)$/.exec(part) ?? [];
      if (!Object.hasOwn(defaultProgramLimits, name))
        throw new UsageError(
          `--limits has ${JSON.stringify(part)}; it must be NAME=NUMBER with one of ${Object.keys(defaultProgramLimits).join(", ")}.`,
        );
      const min = zeroAllowed.has(name) ? 0 : 1;
      const max = name === "retriesMax" ? 1 : valueMax;
      return [name, parseIntegerOption(`--limits ${name}`, value, { min, max })];
    });
  return { ...defaultProgramLimits, ...Object.fromEntries(changed) };
}
