// Random changes to valid requests; most results are invalid.

import { randomBytes } from "node:crypto";
import type { SeededRandom } from "@homeostat/fuzz";
import { contents } from "./contents.ts";
import type { RawRequest } from "./exchange.ts";
import { framing } from "./framing.ts";

const pieces = [
  "\r",
  "\n",
  "\r\n",
  "\0",
  " ",
  "\t",
  ":",
  "%",
  "%00",
  "%ff",
  "../",
  "//",
  "?",
  "&",
  ";",
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\u0000",
  "\\ud800",
  "\x80",
  "\xff",
  "1e999",
  "-0",
  "__proto__",
  "constructor",
  "$patch",
  "HTTP/1.1",
  "Content-Length: 5\r\n",
  "Content-Length: 99999999999999999999\r\n",
  "Transfer-Encoding: chunked\r\n",
  " folded\r\n",
  "Expect: 100-continue\r\n",
  "Content-Encoding: gzip\r\n",
  "Connection: Upgrade\r\nUpgrade: h2c\r\n",
  "Impersonate-User: x\r\n",
  "Authorization: Bearer x.y.z\r\n",
  "Accept: application/vnd.kubernetes.protobuf\r\n",
  "0\r\n\r\n",
];

const heads = ["GET", "PUT", "PATCH", "DELETE", "POST"].flatMap((method) =>
  [
    "/api/v1/namespaces/default/configmaps/x?fieldManager=y",
    "/api/v1/pods?labelSelector=a%20in%20(b,c)&fieldSelector=metadata.name=x&limit=2",
    "/apis/apps/v1/namespaces/default/deployments/x/scale",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "/openapi/v3/apis/apps/v1",
    "/api/v1/namespaces/default/pods/x/log?follow=true",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  ].map((target) => `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`),
);
const bodies = [
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","labels":{"a":"b"}},"data":{"k":"v"}}',
  '[{"op":"replace","path":"/data/k","value":"w"},{"op":"move","from":"/a","path":"/b"}]',
  '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}}}}',
  '{"spec":{"replicas":3}}',
  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
];
const types = [
  "application/json",
  "application/yaml",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/json-patch+json",
  "application/apply-patch+yaml",
  "application/vnd.kubernetes.protobuf",
  "text/plain",
];
/** Requests that take long to send are sent once, in the list of shapes. */
const small = [...framing, ...contents].filter(
  ({ pieces: sent }) => sent.reduce((sum, piece) => sum + piece.length, 0) < 4096 && sent.length === 1,
);

/** Returns the n-th request. */
export function badRequest(chance: SeededRandom, n: number): RawRequest {
  const disconnects = chance.int(12) === 0;
  switch (n % 10) {
    case 0:
      return { over: "tcp", pieces: [beforeTls(chance)], ends: true, disconnects };
    case 1:
      return { over: "h2", pieces: [http2(chance)], ends: true, disconnects };
    case 2:
    case 3: {
      const [piece = ""] = chance.pick(small).pieces;
      const text = Buffer.from(piece).toString("latin1");
      return { pieces: [latin1(chance.mutate(text, pieces))], ends: true, disconnects };
    }
    case 4: {
      const text = whole(chance);
      return { pieces: [latin1(text.slice(0, chance.int(text.length)))], ends: true, disconnects };
    }
    default:
      return { pieces: [latin1(chance.mutate(whole(chance), pieces))], ends: true, disconnects };
  }
}

function whole(chance: SeededRandom): string {
  const body = chance.int(2) === 0 ? chance.mutate(chance.pick(bodies), pieces) : chance.pick(bodies);
  const length = `Content-Length: ${Buffer.byteLength(body, "latin1")}`;
  return `${chance.pick(heads)}Content-Type: ${chance.pick(types)}\r\n${length}\r\n\r\n${body}`;
}

function latin1(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

function beforeTls(chance: SeededRandom): Uint8Array {
  const hello = Buffer.from("16030100f8010000f40303", "hex");
  return chance.pick([randomBytes(chance.int(300)), Buffer.concat([hello, randomBytes(chance.int(300))]), hello]);
}

function http2(chance: SeededRandom): Uint8Array {
  const preface = latin1("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  const settings = frame({ type: 4, flags: 0, stream: 0, payload: Buffer.alloc(0) });
  const any = (): Buffer =>
    frame({
      type: chance.int(12),
      flags: chance.int(256),
      stream: chance.int(6),
      payload: randomBytes(chance.int(60)),
    });
  return chance.pick([
    preface.subarray(0, chance.int(preface.length)),
    Buffer.concat([preface, settings, any(), any(), any()]),
    Buffer.concat([preface, any()]),
    randomBytes(chance.int(100)),
  ]);
}

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

function frame({ type, flags, stream, payload }: Frame): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
