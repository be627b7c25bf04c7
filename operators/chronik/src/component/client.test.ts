import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { FakeClock, systemClock } from "@homeostat/core";
import { hostilePeerSuite } from "@homeostat/hostile-peers";
import { callTimeoutMs, ComponentClient, type ComponentTarget } from "./client.ts";
import { bodyBytesMax } from "./parse.ts";

const target: ComponentTarget = { ip: "10.0.0.1", nodeId: 1, apiKey: "secret" };

interface Received {
  readonly line: string;
  readonly body: string;
  readonly headers: IncomingMessage["headers"];
}

/** Calls a component that handles each request with `respond`. Returns the result and the requests. */
async function call<Value>(
  respond: (response: ServerResponse) => void,
  send: (client: ComponentClient, signal: AbortSignal) => Promise<Value>,
): Promise<{ readonly result: Value; readonly requests: readonly Received[] }> {
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      requests.push({ line: `${request.method ?? ""} ${request.url ?? ""}`, body, headers: request.headers });
      respond(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const { port } = address;
    const client = new ComponentClient({ clock: systemClock, resolve: () => ({ host: "127.0.0.1", port }) });
    return { result: await send(client, new AbortController().signal), requests };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const json =
  (value: unknown, status = 200) =>
  (response: ServerResponse): void =>
    void response.writeHead(status).end(JSON.stringify(value));

describe("ComponentClient", () => {
  it("sends the identity of voters and the API key", async () => {
    const voter = { id: 4, incarnation: "d4", address: "c-3:9090" };

    const added = await call(json({}, 202), (client, signal) => client.addMember(target, voter, signal));
    const removed = await call(json({}), (client, signal) => client.removeMember(target, voter, signal));

    assert.deepEqual(added.result, { type: "response", value: { type: "inProgress" } });
    assert.deepEqual(removed.result, { type: "response", value: { type: "done" } });
    assert.equal(added.requests[0]?.line, "POST /members/add");
    assert.equal(added.requests[0]?.body, '{"id":4,"incarnation":"d4","address":"c-3:9090"}');
    assert.equal(added.requests[0]?.headers["x-api-key"], "secret");
    assert.equal(removed.requests[0]?.body, '{"id":4,"incarnation":"d4"}');
  });

  it("reports the leader when the member is not the leader", async () => {
    const { result } = await call(json({ leaderId: 3 }, 409), (client, signal) =>
      client.transferLeader(target, signal),
    );

    assert.deepEqual(result, { type: "response", value: { type: "notLeader", leaderId: 3 } });
  });

  it("starts, reads and cancels a drain", async () => {
    const body = { state: "draining", partitions: 3 };

    const results = [
      await call(json(body), (client, signal) => client.startDrain(target, signal)),
      await call(json(body), (client, signal) => client.drain(target, signal)),
      await call(json(body), (client, signal) => client.cancelDrain(target, signal)),
    ];

    assert.deepEqual(
      results.map(({ requests }) => requests[0]?.line),
      ["POST /drain", "GET /drain", "DELETE /drain"],
    );
    for (const { result } of results) assert.deepEqual(result, { type: "response", value: body });
  });

  const outcomes: readonly (readonly [string, (response: ServerResponse) => void, string])[] = [
    ["status 404", json({}, 404), "notOffered"],
    ["status 501", json({}, 501), "notOffered"],
    ["status 500", json({}, 500), "refused"],
    ["status 401", json({}, 401), "refused"],
    ["a redirect", (response) => void response.writeHead(302, { location: "/" }).end(), "refused"],
    ["text", (response) => void response.end("hello"), "malformed"],
    ["a body without end", (response) => void response.write("x".repeat(2 * bodyBytesMax)), "malformed"],
    ["a reset", (response) => void response.socket?.destroy(), "unreachable"],
    ["the name of another member", json({ nodeId: 2, incarnation: "a", term: 1, voters: [] }), "contradiction"],
    ["a quorum", json({ nodeId: 1, incarnation: "a", term: 1, voters: [] }), "response"],
  ];
  for (const [title, respond, expected] of outcomes) {
    it(`returns ${expected} for ${title}`, async () => {
      const { result } = await call(respond, (client, signal) => client.quorum(target, signal));

      assert.equal(result.type, expected);
    });
  }

  it("returns notOffered when nothing listens", async () => {
    const signal = new AbortController().signal;
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    await new Promise((resolve) => server.close(resolve));
    const refusing = new ComponentClient({ clock: systemClock, resolve: () => ({ host: "127.0.0.1", port }) });
    const unbound = new ComponentClient({ clock: systemClock, resolve: () => undefined });

    assert.deepEqual(await refusing.quorum(target, signal), { type: "notOffered" });
    assert.deepEqual(await unbound.quorum(target, signal), { type: "notOffered" });
  });

  it("returns timeout when the component hangs, and rejects with the reason when the caller aborts", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const reason = new Error("stopped");
    const hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
    const address = hanging.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const client = new ComponentClient({ clock, resolve: () => ({ host: "127.0.0.1", port }) });

    const late = client.quorum(target, stop.signal);
    await clock.advance(callTimeoutMs);
    assert.deepEqual(await late, { type: "timeout" });

    const aborted = client.quorum(target, stop.signal);
    stop.abort(reason);
    await assert.rejects(aborted, reason);
    hanging.closeAllConnections();
    hanging.close();
  });
});

hostilePeerSuite(
  "ComponentClient",
  () => {
    const clock = new FakeClock();
    return {
      async send({ host, port, signal }) {
        const client = new ComponentClient({ clock, resolve: () => ({ host, port }) });
        await client.quorum(target, signal);
      },
      expire: () => clock.advance(callTimeoutMs),
      // A failed call is a result: no error is documented.
      isTyped: () => false,
    };
  },
  { bodyBytesMax },
);
