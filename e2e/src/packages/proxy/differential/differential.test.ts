// Streams of requests with oddities through our proxy and through others, in front of recording upstreams.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isFull, volume } from "../../../harness/volume.ts";
import { whyNoEnvoy } from "../../../operators/sandbox/envoy/install-envoy.ts";
import { whyNoPeers } from "./install-peers.ts";
import { changedInNode, differences, type Verdicts } from "./differences.ts";
import { oddities } from "./oddities.ts";
import { llhttpVerdictOf, run, type Sent, verdictOf } from "./run.ts";
import { readStream } from "./reference-reader.ts";
import { plainStream, randomStreams, splitStreams } from "./streams.ts";
import { peerNames, startSubject, type Subject, type SubjectName } from "./subjects.ts";

const skip = (await whyNoEnvoy()) ?? (await whyNoPeers()) ?? false;
const laneCount = 8;
const seed = 19;

describe("odd requests through our proxy and others", { skip, timeout: 900_000 }, () => {
  const subjects = new Map<SubjectName, Subject>();
  const subject = (name: SubjectName): Subject => {
    const found = subjects.get(name);
    assert.ok(found);
    return found;
  };

  before(async () => {
    const started = await Promise.all((["fast", ...peerNames] as const).map((name) => startSubject(name, laneCount)));
    for (const each of started) subjects.set(each.name, each);
  });
  after(async () => {
    for (const each of subjects.values()) await each[Symbol.asyncDispose]();
  });

  it("our proxy forwards no request that the client did not send, in random streams", async () => {
    const count = volume({ sample: 10_000, full: 100_000 }, "HOMEOSTAT_STREAMS");

    const sent = await run(subject("fast"), randomStreams(seed, count));

    assert.equal(sent.length, count);
    assert.deepEqual(violations(subject("fast"), sent), []);
    const forwarded = sent.filter((each) => verdictOf(each) !== "refused").length;
    assert.ok(forwarded > count / 4 && forwarded < (count * 9) / 10, `${forwarded} streams had a forwarded request`);
  });

  it("our proxy handles streams alike wherever they are cut", async () => {
    const whole = await run(subject("fast"), oddities.map(plainStream));
    const verdicts = new Map(whole.map((each) => [each.stream.names[0], outcomeOf(each)]));

    const cut = await run(subject("fast"), splitStreams(seed, isFull() ? Infinity : 1_500));

    assert.deepEqual(violations(subject("fast"), cut), []);
    const wrong = cut.filter((each) => outcomeOf(each) !== verdicts.get(each.stream.names[0]));
    assert.deepEqual(
      wrong.map(({ stream, passage }) => `${stream.names[0]}: ${JSON.stringify([stream.pieces, passage])}`),
      [],
    );
  });

  it("differences between our proxy and others are those of the list", async () => {
    const streams = oddities.map(plainStream);
    const verdicts = new Map<SubjectName, readonly string[]>();
    await Promise.all(
      [...subjects.values()].map(async (each) => {
        const sent = await run(each, streams);
        verdicts.set(each.name, sent.map(each.name === "safe" ? llhttpVerdictOf : verdictOf));
      }),
    );
    const found: Record<string, Verdicts> = {};
    for (const [index, { name }] of oddities.entries()) {
      const verdict = (of: SubjectName): string => verdicts.get(of)?.[index] ?? "";
      const others = peerNames
        .filter((peer) => verdict(peer) !== verdict("fast"))
        .filter((peer) => peer !== "safe" || !changedInNode.has(name));
      if (others.length > 0)
        found[name] = Object.fromEntries((["fast", ...others] as const).map((of) => [of, verdict(of)]));
    }
    if (process.env["HOMEOSTAT_PRINT_DIFFERENCES"] !== undefined) process.stderr.write(JSON.stringify(found, null, 1));

    assert.deepEqual(found, Object.assign({}, ...differences.map((each) => each.verdicts)));
  });

  it("the reference reader finds the requests of a stream", () => {
    for (const [text, end, ...targets] of [
      ["GET /a HTTP/1.1\r\nhost: a\r\n\r\n", "complete", "/a"],
      [
        "\r\nPOST /a HTTP/1.1\r\nhost: a\r\nContent-Length: 2\r\n\r\nhiGET /b HTTP/1.0\r\n\r\nGET",
        "closed",
        "/a",
        "/b",
      ],
      [
        "POST http://a?q HTTP/1.1\r\nhost: a\r\ntransfer-encoding: x, Chunked\r\n\r\n1;a\r\n\n\r\n0\r\nx: 1\r\n\r\n",
        "complete",
        "/?q",
      ],
      ["POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nh", "incomplete"],
      ["GET /a HTTP/1.1\r\nhost: a\r\n", "incomplete"],
      ["GET /a HTTP/1.1\r\nhost : a\r\n\r\n", "malformed"],
      ["GET /a HTTP/1.1\nhost: a\r\n\r\n", "malformed"],
      ["POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n", "malformed"],
      ["GET /a HTTP/1.1\r\nhost: a\r\nconnection: x, Close\r\n\r\nGET /b", "closed", "/a"],
    ] as const) {
      const read = readStream(text);

      assert.deepEqual([read.end, ...read.requests.map(({ target }) => target)], [end, ...targets], text);
    }
  });
});

/** Returns the streams for which the upstream saw a request that the client did not send. */
function violations({ lanes }: Subject, sent: readonly Sent[]): readonly string[] {
  const known = new Set<string>();
  const wrong: string[] = [];
  for (const { stream, passage } of sent) {
    const { requests, partial } = readStream(stream.pieces.join(""));
    for (const { method, target } of [...requests, ...(partial === undefined ? [] : [partial])])
      known.add(`${method} ${target}`);
    const isPrefix = passage.all.every((request, index) => {
      const own = requests[index];
      return own?.method === request.method && own.target === request.target && own.body === request.body;
    });
    if (!isPrefix || passage.malformed.length > 0)
      wrong.push(JSON.stringify({ stream, passage, requests }).slice(0, 3_000));
  }
  const begun = lanes.flatMap((lane) => [...lane.begun].filter((head) => !known.has(head)));
  for (const lane of lanes) lane.begun.clear();
  return [...wrong, ...begun.map((head) => `the upstream saw the head of ${head}`)].slice(0, 10);
}

/** Returns what client and upstream see of a stream. */
function outcomeOf(sent: Sent): string {
  return `${verdictOf(sent)} ${sent.passage.statuses.join()}`;
}
