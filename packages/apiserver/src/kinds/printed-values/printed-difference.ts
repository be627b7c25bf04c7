import { unifiedDiff } from "./unified-diff.ts";

/** Longer values are not compared: that would take longer than the rest of the request. */
const linesMax = 4_000;

/** Returns the differences of two values as a unified diff with three lines of context, as kube-apiserver shows them. */
export function printedDifference(before: unknown, after: unknown): string {
  const [a, b] = [linesOf(before), linesOf(after)];
  return a.length > linesMax || b.length > linesMax ? "" : unifiedDiff(a, b);
}

function linesOf(value: unknown): string[] {
  const text = JSON.stringify(value, undefined, 1);
  const safe = text.replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return safe.split("\n");
}
