import { InvalidSelectorError, type LabelSelector, ParseError, parseLabelSelector, UsageError } from "@homeostat/core";

/** Reads the value of `--selector`. Throws a {@link UsageError}. */
export function selectorOf(text: string | undefined): LabelSelector | undefined {
  if (text === undefined) return undefined;
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof InvalidSelectorError) && !(error instanceof ParseError)) throw error;
    throw new UsageError(`--selector is ${JSON.stringify(text)}; it must be labels such as team=web,tier!=test.`, {
      cause: error,
    });
  }
}
