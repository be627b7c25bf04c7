import type { ServerResponse } from "node:http";
import type { Clock } from "@homeostat/core";
import type { TableFeed } from "../feed/table-feed.ts";

export interface WatchRulesOptions {
  readonly feed: TableFeed;
  readonly response: ServerResponse;
  /** Returns the document to send. */
  find(this: void): unknown;
  readonly clock: Clock;
}

/** Changes within this time become one document. */
const batchMs = 100;

/**
 * Sends a document, one per line, and sends it again after each change until the client disconnects. A slow reader skips intermediate versions;
 * documents are not queued for it.
 */
export async function watchRules({ feed, response, find, clock }: WatchRulesOptions): Promise<void> {
  response.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
  let last = "";
  let isBehind = false;
  let timer: Disposable | undefined;
  const send = (): void => {
    timer = undefined;
    if (isBehind) return;
    const line = `${JSON.stringify(find())}\n`;
    if (line === last) return;
    last = line;
    isBehind = !response.write(line);
  };
  const listening = feed.listen(() => {
    timer ??= clock.schedule(batchMs, send);
  });
  response.on("drain", () => {
    isBehind = false;
    send();
  });
  send();
  await new Promise<void>((resolve) => {
    if (response.destroyed) resolve();
    else response.once("close", () => resolve());
  });
  listening[Symbol.dispose]();
  timer?.[Symbol.dispose]();
}
