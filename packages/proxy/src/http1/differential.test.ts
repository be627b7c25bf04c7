import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/fuzz";
import { corpus, pieces } from "../testing/corpus.ts";
import { type LlhttpResult, readWithLlhttp } from "../testing/llhttp.ts";
import { proxyInMemory } from "../testing/memory-exchange.ts";

/** Inputs of a run that guards a landing; with `--full` all of them. */
const inputs = Math.min(20_000, Number(process.env["HOMEOSTAT_FUZZ_INPUTS"] ?? 40_000) / 2);

/** A request that the engine forwards and llhttp does not report. */
interface Difference {
  readonly line: string;
  /** All bytes of the client. */
  readonly text: string;
}

/** Requests that the engine forwards and llhttp does not report. Each is harmless for the reason that it names. */
const accepted: readonly { readonly name: string; readonly applies: (difference: Difference) => boolean }[] = [
  {
    name: "llhttp knows a fixed list of methods; any token is a method, and its framing does not depend on it",
    applies: ({ line }) => !METHODS.includes(line.slice(0, line.indexOf(" "))),
  },
  {
    name: "llhttp refuses targets with bytes outside of ASCII; many clients send them, and they have one meaning",
    applies: ({ line }) => /[\x80-\xff]/.test(line),
  },
  {
    name: "llhttp refuses a tab after a length; the upstream receives the length without it",
    applies: ({ text }) => /^content-length:[ \t]*\d+ *\t/im.test(text),
  },
  {
    name: "llhttp stops after a request to upgrade; the engine does not forward an upgrade to HTTP/2, and goes on",
    applies: ({ text }) => /^connection: upgrade\r\nupgrade:/m.test(text),
  },
];

describe("The HTTP/1.1 engine and llhttp", () => {
  it("agree on where requests begin and end", async () => {
    const random = new SeededRandom(19);
    const counts = { forwarded: 0, refused: 0 };

    for (let n = 0; n < inputs + corpus.length; n += 1) {
      const text = n < corpus.length ? (corpus[n] ?? "") : random.mutate(random.pick(corpus), pieces);
      await compare(text, counts);
    }

    assert.ok(counts.forwarded > inputs / 10, `${counts.forwarded} requests were forwarded`);
    assert.ok(counts.refused > inputs / 10, `${counts.refused} inputs were refused`);
  });
});

async function compare(text: string, counts: { forwarded: number; refused: number }): Promise<void> {
  const ours = proxyInMemory([Buffer.from(text, "latin1")]);
  const theirs = await readWithLlhttp(text);
  counts.forwarded += ours.requests.length;
  if (ours.client.includes("HTTP/1.1 400")) counts.refused += 1;
  comparePrefix(text, ours.requests, theirs);
  // What the upstreams receive has exactly the requests that the engine knows of, for a parser of another origin too.
  const seen: string[] = [];
  for (const bytes of ours.upstream) seen.push(...(await readWithLlhttp(bytes)).requests);
  const known = ours.requests.filter((line) => !isAccepted({ line, text }));
  if (known.length === ours.requests.length) assert.deepEqual(seen, known, JSON.stringify(text));
}

/** Checks that the engine sees no request where llhttp sees none. It may refuse more: it then closes the connection. */
function comparePrefix(text: string, requests: readonly string[], theirs: LlhttpResult): void {
  for (const [index, line] of requests.entries()) {
    const other = theirs.requests[index]?.replace(/^(\S+) https?:\/\/[^/?]+/i, "$1 ");
    if (other === line || (other?.endsWith(" ") === true && line.endsWith(" /"))) continue;
    if (isAccepted({ line, text })) return;
    assert.fail(`${JSON.stringify(text)}: forwarded ${line}, llhttp: ${JSON.stringify(theirs)}`);
  }
}

function isAccepted(difference: Difference): boolean {
  return accepted.some(({ applies }) => applies(difference));
}
