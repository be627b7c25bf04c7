// Known differences between our validation and that of a real server, with the reason. The list may only become shorter.

/** A pattern of differences and its reason. */
interface Known {
  readonly pattern: RegExp;
  readonly reason: string;
}

export const knownDifferences: readonly Known[] = [
  {
    pattern: /metadata\.ownerReferences: Invalid value: \[|^extra metadata\.ownerReferences\./,
    reason: "the real server prints references with field names, and removes duplicates before validation",
  },
  {
    pattern:
      /labels\[(?:batch\.kubernetes\.io\/)?(?:job-name|controller-uid)\]: .* must be '|must match `template\.|selector.* not auto-generated/,
    reason: "labels that a Job sets on its pods are not compared with the Job",
  },
];

/** Reports whether a difference is known. */
export function isKnownDifference(text: string): boolean {
  return knownDifferences.some(({ pattern }) => pattern.test(text));
}
