import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { describe, it } from "node:test";
import { KafkaRequestError, sendRequest } from "./connection.ts";
import { describeQuorum, metadata, type Metadata, reassign, removeVoter } from "./messages.ts";
import { WireReader, WireWriter } from "./wire.ts";

const directory = "AAAAAAAAAAAAAAAAAAAAZA";

/** Starts a listener that responds to the first request with these bytes; never, if there are none. */
async function listen(response: Buffer | undefined): Promise<{ server: Server; port: number; received: Buffer[] }> {
  const received: Buffer[] = [];
  const server = createServer((socket: Socket) => {
    socket
      .on("error", () => undefined)
      .on("data", (chunk) => {
        received.push(chunk);
        if (response !== undefined) socket.write(response);
      });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { server, port: typeof address === "object" ? (address?.port ?? 0) : 0, received };
}

function framed(body: Buffer): Buffer {
  const whole = Buffer.concat([new WireWriter().int32(1).end().bytes(), body]);
  return Buffer.concat([new WireWriter().int32(whole.length).bytes(), whole]);
}

describe("the wire format", () => {
  it("reads back every type that it writes", () => {
    const long = "x".repeat(300);
    const bytes = new WireWriter()
      .boolean(true)
      .int8(-3)
      .int16(-300)
      .uint16(65_535)
      .int32(-70_000)
      .string("größe")
      .string(null)
      .string(long)
      .uuid(directory)
      .list([1, 2, 3], (writer, item) => writer.int32(item))
      .list(null, () => undefined)
      .end()
      .bytes();

    const reader = new WireReader(bytes);

    assert.equal(reader.boolean(), true);
    assert.equal(reader.int8(), -3);
    assert.equal(reader.int16(), -300);
    assert.equal(reader.uint16(), 65_535);
    assert.equal(reader.int32(), -70_000);
    assert.equal(reader.string(), "größe");
    assert.equal(reader.string(), null);
    assert.equal(reader.string(), long);
    assert.equal(reader.uuid(), directory);
    assert.deepEqual(
      reader.list((item) => item.int32()),
      [1, 2, 3],
    );
    assert.deepEqual(
      reader.list((item) => item.int32()),
      [],
    );
    reader.end();
    assert.throws(() => reader.int8(), /ends too early/);
  });

  it("skips tagged fields, and rejects lengths beyond the response", () => {
    // One tagged field with the tag 0 and two bytes.
    const tagged = new WireReader(Buffer.from([1, 0, 2, 9, 9, 7]));
    tagged.end();
    assert.equal(tagged.int8(), 7);
    assert.throws(() => new WireReader(Buffer.from([200, 1])).list((item) => item.int8()), /longer than the rest/);
    assert.throws(() => new WireReader(Buffer.from([255, 255, 255, 255, 255])).string(), /varint/);
    assert.throws(() => new WireWriter().uuid("short"), /16 bytes/);
  });
});

describe("requests to Kafka", () => {
  it("have the layout of the message definitions", () => {
    const { apiKey, version, body } = removeVoter({ clusterId: "c", id: 3, directoryId: directory });
    assert.deepEqual([apiKey, version], [81, 0]);
    assert.equal(body.toString("hex"), "0263000000030000000000000000000000000000006400");
    const moved = reassign([{ topic: "t", index: 5, replicas: [1, 2] }], 9);
    assert.equal(moved.body.toString("hex"), "000000090202740200000005030000000100000002000000");
    assert.match(reassign([{ topic: "t", index: 5, replicas: null }], 9).body.toString("hex"), /0000000500000000$/);
  });

  it("return the response of a listener", async () => {
    const body = new WireWriter()
      .int32(0)
      .list([1001, 1002], (broker, id) => broker.int32(id).string("host").int32(9092).string(null).end())
      .string("cluster")
      .int32(1001)
      .list(["records"], (topic, name) => {
        topic.int16(0).string(name).uuid(directory).boolean(false);
        topic.list([0], (partition, index) => {
          partition.int16(0).int32(index).int32(1001).int32(4);
          for (const ids of [[1001, 1002], [1001], [1002]]) partition.list(ids, (one, id) => one.int32(id));
          partition.end();
        });
        topic.int32(0).end();
      })
      .end()
      .bytes();
    const { server, port, received } = await listen(framed(body));

    const response = await sendRequest({ host: "127.0.0.1", port }, metadata(), { timeoutMs: 5_000 });

    const expected: Metadata = {
      brokers: [1001, 1002],
      partitions: [{ topic: "records", index: 0, leader: 1001, replicas: [1001, 1002], inSync: [1001] }],
    };
    assert.deepEqual(response, expected);
    assert.equal(Buffer.concat(received).readInt16BE(4), 3, "the API key follows the size");
    server.close();
  });

  it("fail within their time limit, and with a response that cannot be read", async () => {
    const silent = await listen(undefined);
    const address = { host: "127.0.0.1", port: silent.port };
    await assert.rejects(sendRequest(address, metadata(), { timeoutMs: 30 }), KafkaRequestError);
    silent.server.close();
    await assert.rejects(sendRequest({ ...address, port: 1 }, metadata(), { timeoutMs: 5_000 }), /ECONNREFUSED/);
    const short = await listen(framed(Buffer.from([0])));
    const request = sendRequest({ ...address, port: short.port }, describeQuorum(), { timeoutMs: 5_000 });
    await assert.rejects(request, /ends too early/);
    short.server.close();
    const huge = await listen(Buffer.from([0x7f, 0, 0, 0]));
    await assert.rejects(
      sendRequest({ ...address, port: huge.port }, describeQuorum(), { timeoutMs: 5_000 }),
      /too large/,
    );
    huge.server.close();
  });
});
