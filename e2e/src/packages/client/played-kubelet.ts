// A kubelet that says what a test tells it, when it tells it. The real server asks it over HTTPS, the embedded one within this process.

import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { LogOptions, LogProvider } from "@homeostat/apiserver";
import { isRecord, type JsonRecord } from "@homeostat/core";
import type { TestServer } from "../../harness/test-server.ts";

/** One question for logs, and the answer that a test writes piece by piece. */
export interface AskedLogs {
  /** What was asked for, as the real server asks it: `/containerLogs/…?follow=true`. */
  readonly path: string;
  write(text: string): void;
  end(text: string): void;
  /** Whether the one who asked has left. */
  readonly isLeft: boolean;
}

/** A kubelet of the embedded server. */
export function localKubelet(asked: AskedLogs[]): LogProvider {
  return {
    logs: async (pod, options, signal) => {
      const answer = new LocalAnswer(pathOf(pod, options), signal);
      asked.push(answer);
      return answer.pieces();
    },
  };
}

/** A kubelet of the real server: returns the port that it listens at. */
export async function remoteKubelet(
  { cert, key }: Pick<TestServer, "cert" | "key">,
  asked: AskedLogs[],
): Promise<Disposable & { readonly port: number }> {
  const server = createServer({ cert, key }, (request, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).flushHeaders();
    let isLeft = false;
    response.on("close", () => (isLeft = true));
    asked.push({
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

class LocalAnswer implements AskedLogs {
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
