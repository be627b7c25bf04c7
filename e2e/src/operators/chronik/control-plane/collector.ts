// A trace collector: receives spans by OTLP in JSON, as the OpenTelemetry Collector does.

import { createServer, type Server } from "node:http";
import { isRecord, readPointer } from "@homeostat/core";

/** A received span. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Attributes of the program that sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A running collector. */
export class Collector implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (request.url === "/v1/traces") this.spans.push(...spansIn(JSON.parse(Buffer.concat(chunks).toString())));
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
    });
  }

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve) => {
      collector.#server.listen(0, "127.0.0.1", resolve);
    });
    return collector;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  }

  /** Returns the spans of a trace that are children of a span. */
  childrenOf({ traceId, spanId }: ReceivedSpan): readonly ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId && span.parentId === spanId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function spansIn(body: unknown): ReceivedSpan[] {
  return listAt(body, "/resourceSpans").flatMap((each) => {
    const resource = attributesOf(listAt(each, "/resource/attributes"));
    const spans = listAt(each, "/scopeSpans").flatMap((scope) => listAt(scope, "/spans"));
    return spans.map((span) => ({
      traceId: textAt(span, "/traceId"),
      spanId: textAt(span, "/spanId"),
      parentId: textAt(span, "/parentSpanId"),
      name: textAt(span, "/name"),
      attributes: attributesOf(listAt(span, "/attributes")),
      resource,
    }));
  });
}

function attributesOf(list: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    list.map((each) => {
      const value = readPointer(each, "/value");
      return [textAt(each, "/key"), isRecord(value) ? Object.values(value)[0] : undefined];
    }),
  );
}

function listAt(value: unknown, path: string): readonly unknown[] {
  const list = readPointer(value, path);
  return Array.isArray(list) ? list : [];
}

function textAt(value: unknown, path: string): string {
  const text = readPointer(value, path);
  return typeof text === "string" ? text : "";
}
