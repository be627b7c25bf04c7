// Where our verdicts differ from those of a real server, with the reason. The list may only become shorter.

/** A pattern of differences and why it stands. */
interface Known {
  readonly pattern: RegExp;
  readonly reason: string;
}

export const knownDifferences: readonly Known[] = [
  {
    pattern: /metadata\.ownerReferences: Invalid value: \[/,
    reason: "the references are printed with their fields by name, and equal ones are removed by the registry before",
  },
];

/** Whether a difference is one of the known ones. */
export function isNamedDifference(text: string): boolean {
  return knownDifferences.some(({ pattern }) => pattern.test(text));
}
