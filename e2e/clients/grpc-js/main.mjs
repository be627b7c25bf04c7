// A client of @grpc/grpc-js for the server of the Go program: sends calls of each kind through a proxy and prints a line for each kind that works.
// Messages are of the type google.protobuf.BytesValue, encoded here: one field with number 1.

import assert from "node:assert/strict";
import { Client, credentials, Metadata, status } from "@grpc/grpc-js";

const [address, key, expected] = process.argv.slice(2);

function encode(body) {
  const size = [];
  for (let rest = body.length; ; rest >>>= 7) {
    size.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([10, ...size]), body]);
}

function decode(message) {
  if (message.length === 0) return Buffer.alloc(0);
  let at = 1;
  while (message[at++] > 127);
  return message.subarray(at);
}

const client = new Client(address, credentials.createInsecure(), { "grpc.max_receive_message_length": 16 << 20 });
const metadata = new Metadata();
if (key !== "") metadata.set("x-routing-key", key);

function unary(method, text, options = {}) {
  return new Promise((resolve) => {
    const result = { header: {}, trailer: {} };
    const call = client.makeUnaryRequest(
      `/shop.Cart/${method}`,
      encode,
      decode,
      Buffer.from(text),
      metadata,
      options,
      (error, value) => {
        result.error = error;
        result.value = value;
      },
    );
    call.on("metadata", (fields) => (result.header = fields.getMap()));
    // The status is the last event, after the callback.
    call.on("status", ({ metadata: fields }) => {
      result.trailer = fields.getMap();
      setImmediate(resolve, result);
    });
    result.cancel = () => call.cancel();
    options.onCall?.(call);
  });
}

async function echo(text) {
  const { error, value, header, trailer } = await unary("Echo", text);
  assert.equal(error, null);
  assert.ok(value.equals(Buffer.from(text)));
  assert.deepEqual([header["x-server"], trailer["x-trailer"]], [expected, expected]);
}

async function serverStream() {
  const call = client.makeServerStreamRequest("/shop.Cart/List", encode, decode, Buffer.from("500"), metadata);
  let count = 0;
  for await (const message of call) assert.equal(message.toString(), String(count++));
  assert.equal(count, 500);
}

async function bidirectional() {
  const call = client.makeBidiStreamRequest("/shop.Cart/Chat", encode, decode, metadata);
  const received = [];
  for (let n = 0; n < 100; n += 1) {
    call.write(Buffer.from(String(n)));
    const [message] = await new Promise((resolve, reject) => {
      call.once("data", (...values) => resolve(values));
      call.once("error", reject);
    });
    call.removeAllListeners("error");
    received.push(message.toString());
  }
  const ended = new Promise((resolve) => call.once("status", resolve));
  call.end();
  call.resume();
  assert.equal((await ended).code, status.OK);
  assert.deepEqual(
    received,
    Array.from({ length: 100 }, (_, n) => String(n)),
  );
}

const checks = {
  unary: () => echo("hello"),
  "large message": () => echo("x".repeat(3_000_000)),
  "concurrent calls": () => Promise.all(Array.from({ length: 200 }, (_, n) => echo("x".repeat(n * 100)))),
  "error with trailers only": async () => {
    const { error } = await unary("Fail", "no stock");
    assert.deepEqual([error.code, error.details], [status.FAILED_PRECONDITION, "no stock ü"]);
  },
  "server stream": serverStream,
  "bidirectional stream": bidirectional,
  deadline: async () => {
    const { error } = await unary("Wait", "", { deadline: Date.now() + 100 });
    // The server and the proxy know the deadline as well: whichever is first, the client hears of nothing else.
    assert.equal(error.code, status.DEADLINE_EXCEEDED, error.message);
  },
  cancellation: async () => {
    const { error } = await unary("Wait", "", { onCall: (call) => setTimeout(() => call.cancel(), 50) });
    assert.equal(error.code, status.CANCELLED);
  },
};

for (const [name, check] of Object.entries(checks)) {
  await check();
  console.log(name);
}
client.close();
