// A client of the discovery service that behaves like an Envoy.

import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { discoveryPath } from "@homeostat/sandbox-operator";
import {
  bytesField,
  frameMessage,
  MessageReader,
  readFields,
  resourceTypes,
  textField,
} from "@homeostat/sandbox-operator/internal";

export interface EnvoyClientOptions {
  readonly port: number;
  readonly ca: string;
  readonly token: string;
  readonly nodeId: string;
}

/** Field numbers of DiscoveryRequest and DiscoveryResponse. */
const fields = { node: 2, typeUrl: 4, nonce: 5, errorDetail: 6, resources: 2 } as const;

/** Subscribes to all resources and confirms them, or rejects them while `rejection` is set. */
export class EnvoyClient implements Disposable {
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;
  readonly #reader = new MessageReader();
  /** The resources by type, as the text of their messages. */
  readonly resources: Map<string, string> = new Map<string, string>();
  rejection: string | undefined;
  /** The number of responses that it has rejected. */
  rejected = 0;
  /** The status of gRPC with which the stream has ended, and its message. */
  end: { readonly status: string; readonly message: string } | undefined;

  constructor({ port, ca, token, nodeId }: EnvoyClientOptions) {
    this.#session = connect(`https://localhost:${port}`, { ca });
    this.#session.on("error", () => undefined);
    this.#stream = this.#session.request({
      ":method": "POST",
      ":path": discoveryPath,
      "content-type": "application/grpc",
      te: "trailers",
      authorization: `Bearer ${token}`,
    });
    this.#stream.on("error", () => undefined);
    for (const event of ["response", "trailers"]) {
      this.#stream.on(event, (headers: Readonly<Record<string, string>>) => this.#ended(headers));
    }
    this.#stream.on("data", (chunk: Buffer) => {
      for (const message of this.#reader.push(chunk)) this.#confirm(message);
    });
    const node = bytesField(fields.node, textField(1, nodeId));
    for (const type of resourceTypes) this.#send([node, textField(fields.typeUrl, type)]);
  }

  [Symbol.dispose](): void {
    this.#session.destroy();
  }

  #ended({ "grpc-status": status, "grpc-message": message = "" }: Readonly<Record<string, string>>): void {
    if (status !== undefined) this.end = { status, message: decodeURIComponent(message) };
  }

  #confirm(message: Buffer): void {
    let [typeUrl, nonce, text] = ["", "", ""];
    for (const [number, value] of readFields(message)) {
      if (number === fields.typeUrl) typeUrl = value.toString("utf8");
      else if (number === fields.nonce) nonce = value.toString("utf8");
      else if (number === fields.resources) text += value.toString("latin1");
    }
    this.resources.set(typeUrl, text);
    if (this.rejection !== undefined) this.rejected += 1;
    const error = this.rejection === undefined ? [] : [bytesField(fields.errorDetail, textField(2, this.rejection))];
    this.#send([textField(fields.typeUrl, typeUrl), textField(fields.nonce, nonce), ...error]);
  }

  #send(parts: readonly Buffer[]): void {
    this.#stream.write(frameMessage(Buffer.concat(parts)));
  }
}
