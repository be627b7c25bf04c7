// Readable differences between pod templates: the changes of a rebase, or of a fork against its baseline.

import { canonicalJson, cutText } from "@homeostat/core";
import type { PodTemplate } from "./baseline.ts";
import { type Change, diffValues, readablePath } from "./diff.ts";

/** One difference. */
export interface DiffLine {
  /** Field of the template: `spec.containers[app].env[LOG_LEVEL].value`. */
  readonly path: string;
  /** Value before, truncated; absent if there was none. */
  readonly old?: string;
  /** Value after, truncated; absent if there is none. */
  readonly new?: string;
}

/** Differences between two templates. */
export interface TemplateDiff {
  /** Sorted by path. */
  readonly lines: readonly DiffLine[];
  /** Number of further differences, which are not listed. */
  readonly omitted: number;
}

/** Limits of a diff. */
export interface DiffLimits {
  readonly linesMax?: number;
  readonly valueLengthMax?: number;
}

/**
 * Compares two pod templates. Values of plain environment variables are shown. For variables that refer to Secrets, the reference is shown; templates
 * do not contain the values.
 */
export function diffTemplates(before: PodTemplate, after: PodTemplate, limits: DiffLimits = {}): TemplateDiff {
  return diffObjects(before, after, limits);
}

/** Compares two JSON values. Nothing is hidden: do not pass values of Secrets. */
export function diffObjects(
  before: unknown,
  after: unknown,
  { linesMax = 100, valueLengthMax = 200 }: DiffLimits = {},
): TemplateDiff {
  const lines = diffValues(before, after)
    .map((change) => lineOf(change, valueLengthMax))
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { lines: lines.slice(0, linesMax), omitted: Math.max(0, lines.length - linesMax) };
}

function lineOf({ steps, old, new: after }: Change, lengthMax: number): DiffLine {
  return {
    path: readablePath(steps),
    ...(old !== undefined && { old: shown(old, lengthMax) }),
    ...(after !== undefined && { new: shown(after, lengthMax) }),
  };
}

function shown(value: unknown, lengthMax: number): string {
  return cutText(typeof value === "string" ? value : canonicalJson(value), lengthMax);
}

/** Formats a diff as text: `-` and `+` before old and new values. */
export function formatDiff({ lines, omitted }: TemplateDiff): string {
  const text = lines.flatMap(({ path, old, new: after }) => [
    path,
    ...(old === undefined ? [] : [`  - ${oneLine(old)}`]),
    ...(after === undefined ? [] : [`  + ${oneLine(after)}`]),
  ]);
  if (omitted > 0) text.push(`… and ${omitted} more`);
  return text.map((line) => `${line}\n`).join("");
}

function oneLine(text: string): string {
  return /[\n\r]/.test(text) ? JSON.stringify(text) : text;
}
