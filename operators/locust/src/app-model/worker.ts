import { findMaster } from "./masters.ts";
import type { LocustMaster } from "./master.ts";
import type { LocustProcess } from "./process.ts";

const retryMs = 1_000;
/** A worker gives up after five minutes without a master. */
const retriesMax = 300;
const silenceMs = 60_000;

/** A Locust worker process: connects to its master, and exits when the master quits or is lost. */
export class LocustWorker {
  readonly #process: LocustProcess;
  readonly #id: string;
  readonly #onEnd: (exitCode: number) => void;
  #master: LocustMaster | undefined;
  #attempts = 0;

  constructor(process: LocustProcess, onEnd: (exitCode: number) => void) {
    const { random, pod } = process.context;
    this.#process = process;
    this.#onEnd = onEnd;
    this.#id = `${pod.name}_${Array.from({ length: 32 }, () => random.int(16).toString(16)).join("")}`;
  }

  /** Connects to the master; retries every second until it succeeds or gives up. */
  start(): void {
    const { args, context } = this.#process;
    const master = findMaster(context.network, args.masterHost, {
      port: args.masterPort,
      namespace: context.pod.namespace,
    });
    if (master !== undefined && !master.process.isOver) {
      this.#master = master;
      master.connect({
        id: this.#id,
        lines: this.#process.lines,
        quit: () => this.#quit("Got quit message from master, shutting down..."),
      });
      return this.#watchMaster();
    }
    this.#attempts += 1;
    if (this.#attempts === 1 || this.#attempts % 5 === 0)
      this.#process.log(
        "runners",
        `Failed to connect to master ${args.masterHost}:${args.masterPort}, retry ${Math.ceil(this.#attempts / 5)}/60.`,
      );
    if (this.#attempts > retriesMax) return this.#end(1);
    this.#process.schedule(retryMs, () => this.start());
  }

  /** Handles SIGTERM. */
  terminate(): void {
    this.#process.log("main", "Got SIGTERM signal");
    this.#end(0);
  }

  /** Handles SIGKILL: the master gets no message. */
  kill(): void {
    if (this.#process.isOver) return;
    this.#process.end();
    this.#master?.disconnect(this.#id, { isOrderly: false });
  }

  /** Checks the heartbeat of the master every second, and exits when it has been silent for a minute. */
  #watchMaster(silentSince?: number): void {
    this.#process.schedule(retryMs, () => {
      if (this.#master?.process.isOver !== true) return this.#watchMaster();
      const since = silentSince ?? this.#process.now;
      if (this.#process.now - since < silenceMs) return this.#watchMaster(since);
      this.#process.log("runners", "Didn't get heartbeat from master in over 60s, quitting", "ERROR");
      this.#end(0);
    });
  }

  #quit(text: string): void {
    this.#process.log("runners", text);
    this.#end(0);
  }

  #end(exitCode: number): void {
    if (this.#process.isOver) return;
    this.#process.log("main", `Shutting down (exit code ${exitCode})`);
    this.#process.end();
    this.#master?.disconnect(this.#id, { isOrderly: true });
    this.#onEnd(exitCode);
  }
}
