/**
 * The words of a command seed: split at runs of white space, without empty ones.
 *
 * There is no quoting, as there never was: a quote stays part of its word. `extraArgs` are for words with spaces.
 */
export function splitSeed(seed: string): string[] {
  return seed.split(/[ \t\n\r\v\f]+/).filter((word) => word !== "");
}
