import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import type { TrafficReport } from "@homeostat/routing";
import { issue, type KeyPair, makeAuthority } from "@homeostat/x509";

const dates = { validFrom: new Date("2020-01-01"), validUntil: new Date("2090-01-01") };

/** A stream that a proxy has opened. */
export interface OpenedStream {
  readonly stream: ServerHttp2Stream;
  readonly query: URLSearchParams;
  readonly token: string;
}

/** Body of a confirmation. */
export interface ReceivedAck {
  readonly proxy: string;
  readonly epoch: string;
  readonly version: number;
  readonly errors: readonly { readonly service: string }[];
}

/** A route server whose every line a test writes. */
export class FakeRouteServer implements AsyncDisposable {
  readonly authority: KeyPair = makeAuthority({ subject: { commonName: "test" }, ...dates });
  readonly streams: OpenedStream[] = [];
  /** Bodies of confirmations. */
  readonly acks: ReceivedAck[] = [];
  /** Bodies of reports of traffic. */
  readonly reports: TrafficReport[] = [];
  /** Status of the next streams. */
  status = 200;
  /** True if confirmations get no response until {@link releaseAcks}. */
  holdsAcks = false;
  readonly #held: ServerHttp2Stream[] = [];
  readonly #server: Http2SecureServer;

  private constructor() {
    const { cert, key } = issue(this.authority, {
      subject: { commonName: "localhost" },
      hosts: ["localhost"],
      usages: ["server"],
      ...dates,
    });
    this.#server = createSecureServer({ cert, key });
    this.#server.on("stream", (stream, headers) => this.#handle(stream, headers[":path"] ?? "", headers.authorization));
    this.#server.on("sessionError", () => undefined);
  }

  static async start(): Promise<FakeRouteServer> {
    const server = new FakeRouteServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `https://localhost:${port}`;
  }

  /** Writes operations to the last stream. */
  send(...operations: readonly object[]): void {
    for (const operation of operations) this.streams.at(-1)?.stream.write(`${JSON.stringify(operation)}\n`);
  }

  releaseAcks(): void {
    this.holdsAcks = false;
    for (const stream of this.#held.splice(0)) stream.respond({ ":status": 200 }, { endStream: true });
  }

  #handle(stream: ServerHttp2Stream, path: string, authorization = ""): void {
    stream.on("error", () => undefined);
    if (path === "/v1/ack") {
      this.#receiveAck(stream);
      return;
    }
    if (path === "/v1/report") {
      receive(stream, (body) => {
        const report: TrafficReport = JSON.parse(body);
        this.reports.push(report);
        stream.respond({ ":status": 200 }, { endStream: true });
      });
      return;
    }
    const query = new URLSearchParams(path.slice(path.indexOf("?") + 1));
    this.streams.push({ stream, query, token: authorization.replace(/^Bearer /, "") });
    stream.respond({ ":status": this.status });
    if (this.status !== 200) stream.end('{"error":"the token was not accepted"}');
  }

  #receiveAck(stream: ServerHttp2Stream): void {
    receive(stream, (body) => {
      const ack: ReceivedAck = JSON.parse(body);
      this.acks.push(ack);
      if (this.holdsAcks) this.#held.push(stream);
      else stream.respond({ ":status": 200 }, { endStream: true });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { stream } of this.streams) stream.session?.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Reads a body as text. */
function receive(stream: ServerHttp2Stream, onBody: (body: string) => void): void {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.on("end", () => onBody(Buffer.concat(chunks).toString("utf8")));
}
