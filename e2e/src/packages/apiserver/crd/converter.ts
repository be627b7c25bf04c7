// A conversion webhook with faults that the converted object selects.

import type { AddressInfo } from "node:net";
import { createServer } from "node:https";
import { ServerCertificates } from "@homeostat/apiserver";
import { isRecord, type JsonRecord, systemClock } from "@homeostat/core";

/** A listening webhook. */
export interface ConverterServer {
  readonly url: string;
  /** CA certificate: PEM in base64. */
  readonly caBundle: string;
  close(): void;
}

/** Faults of the webhook: changes to a correct response. */
const faults: Readonly<Record<string, (review: JsonRecord, response: JsonRecord, objects: JsonRecord[]) => void>> = {
  refuse: (_, response) => void (response["result"] = { status: "Failure", message: "no way" }),
  silent: (_, response) => void (response["result"] = { status: "Failure" }),
  uid: (_, response) => void (response["uid"] = "another"),
  nothing: (review) => void delete review["response"],
  fewer: (_, response) => void (response["convertedObjects"] = []),
  version: (_, __, objects) => objects.forEach((object) => void (object["apiVersion"] = "a/b")),
  kind: (_, __, objects) => objects.forEach((object) => void (object["kind"] = "Other")),
  name: (_, __, objects) => objects.forEach((object) => void (metadataOf(object)["name"] = "other")),
  namespace: (_, __, objects) => objects.forEach((object) => void (metadataOf(object)["namespace"] = "other")),
  own: (_, __, objects) => objects.forEach((object) => void (metadataOf(object)["uid"] = "other")),
  bare: (_, __, objects) => objects.forEach((object) => void delete object["metadata"]),
  label: (_, __, objects) => objects.forEach((object) => void (metadataOf(object)["labels"] = { "a b": "c" })),
  number: (_, __, objects) => objects.forEach((object) => void (metadataOf(object)["labels"] = { a: 5 })),
  note: (_, __, objects) => objects.forEach((object) => void (metadataOf(object)["annotations"] = { "a b": "c" })),
  older: (review) => void (review["apiVersion"] = "apiextensions.k8s.io/v1beta1"),
  other: (review) => void (review["kind"] = "Other"),
  extra: (_, __, objects) => objects.forEach((object) => void (object["extra"] = { a: 1 })),
};

/** Names of the faults. */
export const faultNames: readonly string[] = [...Object.keys(faults), "text", "error"];

/** Starts the webhook on loopback. `v1` has `host` and `port`, `v2` has `address`. */
export async function startConverter(): Promise<ConverterServer> {
  const certificates = new ServerCertificates({ clock: systemClock });
  const { cert, key } = certificates.server;
  const server = createServer({ cert, key }, (request, response) => {
    let text = "";
    request.on("data", (piece: Buffer) => (text += piece.toString("utf8")));
    request.on("end", () => {
      const { status, type, body } = respond(text);
      response.writeHead(status, { "content-type": type }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/convert`,
    caBundle: Buffer.from(certificates.ca).toString("base64"),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function respond(text: string): { status: number; type: string; body: string } {
  const received = JSON.parse(text) as {
    apiVersion: string;
    request: { uid: string; desiredAPIVersion: string; objects: JsonRecord[] };
  };
  const { uid, desiredAPIVersion, objects } = received.request;
  const converted = objects.map((object) => convert(object, desiredAPIVersion));
  const fault = textOf(specOf(objects[0] ?? {})["fault"]);
  if (fault === "text") return { status: 200, type: "text/plain", body: "hello" };
  if (fault === "error") return { status: 500, type: "text/plain", body: "boom" };
  const response: JsonRecord = { uid, result: { status: "Success" }, convertedObjects: converted };
  const review: JsonRecord = { kind: "ConversionReview", apiVersion: received.apiVersion, response };
  faults[fault]?.(review, response, converted);
  return { status: 200, type: "application/json", body: JSON.stringify(review) };
}

function convert(object: JsonRecord, apiVersion: string): JsonRecord {
  const { host, port, address, ...rest } = specOf(object);
  const [name, number] = textOf(address).split(":");
  const spec = apiVersion.endsWith("/v2")
    ? { ...rest, address: `${String(host)}:${String(port)}` }
    : { ...rest, host: name, port: Number(number) };
  return { ...object, apiVersion, spec, metadata: { ...metadataOf(object) } };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function specOf({ spec }: JsonRecord): JsonRecord {
  return isRecord(spec) ? spec : {};
}

function metadataOf(object: JsonRecord): JsonRecord {
  return isRecord(object["metadata"]) ? object["metadata"] : {};
}
