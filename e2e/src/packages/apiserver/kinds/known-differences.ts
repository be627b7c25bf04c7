// Where our verdicts differ from those of a real server, with the reason. The list may only become shorter.

/** A pattern of differences and why it stands. */
interface Known {
  readonly pattern: RegExp;
  readonly reason: string;
}

export const knownDifferences: readonly Known[] = [
  {
    pattern: /metadata\.ownerReferences: Invalid value: \[|^extra metadata\.ownerReferences\./,
    reason: "the references are printed with their fields by name, and equal ones are removed by the registry before",
  },
  {
    pattern:
      /labels\[(?:batch\.kubernetes\.io\/)?(?:job-name|controller-uid)\]: .* must be '|must match `template\.|selector.* not auto-generated/,
    reason: "labels that a Job gives to its pods are not compared with the Job",
  },
];

/** Whether a difference is one of the known ones. */
export function isNamedDifference(text: string): boolean {
  return knownDifferences.some(({ pattern }) => pattern.test(text));
}
