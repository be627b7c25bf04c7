import type { Passage } from "./lane.ts";
import type { ReadRequest } from "./reference-reader.ts";
import { endTarget, type Stream } from "./streams.ts";
import type { Subject } from "./subjects.ts";

/** A stream with its effect. */
export interface Sent {
  readonly stream: Stream;
  readonly passage: Passage;
}

/** Sends streams through the lanes of a proxy. Returns their effects in the order of the streams. */
export async function run({ lanes }: Subject, streams: Iterable<Stream>): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  const iterator = streams[Symbol.iterator]();
  let count = 0;
  await Promise.all(
    lanes.map(async (lane) => {
      for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
        const index = count++;
        // A number in the targets tells requests of different streams from each other.
        const pieces = next.value.pieces.map((piece) => piece.replaceAll(/\/(odd|after)\b/g, `/$1.${index}`));
        const stream = { ...next.value, pieces };
        sent[index] = { stream, passage: await lane.send(pieces) };
      }
    }),
  );
  return regroup(sent);
}

/** A proxy may forward a request after it has closed the connection of the client, when the lane sends the next stream. Returns each request to its stream. */
function regroup(sent: readonly Sent[]): readonly Sent[] {
  const groups = sent.map((): ReadRequest[] => []);
  for (const [index, { passage }] of sent.entries()) {
    for (const request of passage.all) {
      const tag = /^\/(?:odd|after)\.(\d+)/.exec(request.target)?.[1];
      groups[tag === undefined ? index : Number(tag)]?.push(request);
    }
  }
  return sent.map(({ stream, passage }, index) => ({ stream, passage: { ...passage, all: groups[index] ?? [] } }));
}

/**
 * Returns the targets of the requests that the upstream received, or `refused` if there were none. Bytes that the strict upstream refuses count as refused,
 * too: what a proxy does after that depends on timing.
 */
export function verdictOf({ passage: { all, malformed } }: Sent): string {
  const own = all.filter(({ target }) => target !== endTarget);
  if (own.length === 0 || malformed.length > 0) return "refused";
  return own.map(({ target }) => target.replace(/\.\d+/, "")).join(" ");
}

/**
 * Returns the same for llhttp. Node ends a connection as soon as it has read malformed bytes; whether a request before them is forwarded depends on
 * timing, so a stream with an error counts as refused.
 */
export function llhttpVerdictOf(sent: Sent): string {
  const { statuses } = sent.passage;
  return statuses.length === 0 || statuses.some((status) => status !== "200") ? "refused" : verdictOf(sent);
}
