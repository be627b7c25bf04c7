// A simulated kubelet that a test controls. The real server calls it by HTTPS, the embedded one in this process.

import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { LogOptions, LogProvider } from "@homeostat/apiserver";
import { isRecord, type JsonRecord } from "@homeostat/core";
import type { TestServer } from "../../harness/test-server.ts";

/** One request for logs, and the response that a test writes in chunks. */
export interface LogRequest {
  /** Path and query as the real server sends them: `/containerLogs/…?follow=true`. */
  readonly path: string;
  write(text: string): void;
  end(text: string): void;
  /** True when the client has disconnected. */
  readonly isLeft: boolean;
}

/** Returns a kubelet for the embedded server. */
export function localKubelet(requests: LogRequest[]): LogProvider {
  return {
    logs: async (pod, options, signal) => {
      const stream = new LocalLogStream(pathOf(pod, options), signal);
      requests.push(stream);
      return stream.pieces();
    },
  };
}

/** Starts a kubelet for the real server. Returns its port. */
export async function remoteKubelet(
  { cert, key }: Pick<TestServer, "cert" | "key">,
  requests: LogRequest[],
): Promise<Disposable & { readonly port: number }> {
  const server = createServer({ cert, key }, (request, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).flushHeaders();
    let isLeft = false;
    response.on("close", () => (isLeft = true));
    requests.push({
      path: request.url ?? "",
      write: (text) => void response.write(text),
      end: (text) => void response.end(text),
      get isLeft() {
        return isLeft;
      },
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

class LocalLogStream implements LogRequest {
  readonly path: string;
  readonly #pieces: string[] = [];
  #isOver = false;
  #isLeft = false;
  #wake: () => void = () => undefined;

  constructor(path: string, signal: AbortSignal) {
    this.path = path;
    const leave = (): void => {
      this.#isLeft = true;
      this.#wake();
    };
    signal.addEventListener("abort", leave, { once: true });
  }

  get isLeft(): boolean {
    return this.#isLeft;
  }

  write(text: string): void {
    this.#pieces.push(text);
    this.#wake();
  }

  end(text: string): void {
    this.#isOver = true;
    this.write(text);
  }

  async *pieces(): AsyncGenerator<string> {
    while (!this.#isLeft) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function pathOf(pod: JsonRecord, { container, isFollowed, tailLines, hasTimestamps }: LogOptions): string {
  const metadata = isRecord(pod["metadata"]) ? pod["metadata"] : {};
  const query = new URLSearchParams({
    ...(isFollowed ? { follow: "true" } : {}),
    ...(tailLines === undefined ? {} : { tailLines: String(tailLines) }),
    ...(hasTimestamps ? { timestamps: "true" } : {}),
  });
  return `/containerLogs/${String(metadata["namespace"])}/${String(metadata["name"])}/${container}?${query.toString()}`;
}
