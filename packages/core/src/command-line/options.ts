import { UsageError } from "./usage-error.ts";

/**
 * Runs a parser of a command line, such as `parseArgs` of `node:util`, and converts its error to a {@link UsageError}.
 *
 * The hint follows the message: `See homeostat cluster --help.`
 */
export function parseOptions<T>(parse: () => T, hint: string): T {
  try {
    return parse();
  } catch (error) {
    const problem = shortened(error instanceof Error ? error.message : String(error));
    throw new UsageError(`${problem.replace(/\.?$/, ".")} ${hint}`, { cause: error });
  }
}

/** Parses the value of an option that is an integer in a range. Throws a {@link UsageError}. */
export function parseIntegerOption(
  option: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${option} is ${JSON.stringify(text)}; it must be an integer from ${min} to ${max}.`);
}

/** Shortens Node's three-line message about an option that follows another option whose value is missing. */
function shortened(problem: string): string {
  const [, option] = /^Option '(\S+)' argument is ambiguous/.exec(problem) ?? [];
  return option === undefined ? problem : `${option} requires a value`;
}
