import { parseOptions } from "@homeostat/core";

/** Runs a parser of the arguments of `npm run bench`. Throws a `UsageError` that refers to `--help`. */
export function parseBenchOptions<T>(parse: () => T): T {
  return parseOptions(parse, "See npm run bench -- --help.");
}
