import type { RunRef } from "../api/load-tests.ts";

/** Returns the test and run of a text such as `shop/checkout` or `shop/checkout@2`; undefined if it is no such text. */
export function readRunRef(text: string): RunRef | undefined {
  const [, namespace, name, run] = /^([a-z0-9-]{1,63})\/([a-z0-9.-]{1,253})(?:@([1-9]\d{0,8}))?$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  return { namespace, name, run: run === undefined ? undefined : Number(run) };
}

/** Returns the text of a test and run. */
export function formatRunRef({ namespace, name, run }: RunRef): string {
  return `${namespace}/${name}${run === undefined ? "" : `@${run}`}`;
}

/** Returns the path of the page that compares runs. */
export function comparePath(refs: readonly RunRef[]): string {
  const query = new URLSearchParams(refs.map((ref): [string, string] => ["test", formatRunRef(ref)]));
  return refs.length === 0 ? "/compare" : `/compare?${query.toString()}`;
}
