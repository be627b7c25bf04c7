import { findMaster } from "./masters.ts";
import type { LocustMaster } from "./master.ts";
import type { LocustProcess } from "./process.ts";

const retryMs = 1_000;
/** A worker gives up after five minutes without a master. */
const retriesMax = 300;
const silenceMs = 60_000;

/** A Locust process that works for a master: it looks for it, stays with it, and goes when it is told to. */
export class LocustWorker {
  readonly #process: LocustProcess;
  readonly #id: string;
  readonly #onEnd: (exitCode: number) => void;
  #master: LocustMaster | undefined;
  #tries = 0;

  constructor(process: LocustProcess, onEnd: (exitCode: number) => void) {
    const { random, pod } = process.context;
    this.#process = process;
    this.#onEnd = onEnd;
    this.#id = `${pod.name}_${Array.from({ length: 32 }, () => random.int(16).toString(16)).join("")}`;
  }

  /** Begins to look for its master. */
  begin(): void {
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
      return this.#listen();
    }
    this.#tries += 1;
    if (this.#tries === 1 || this.#tries % 5 === 0)
      this.#process.say(
        "runners",
        `Failed to connect to master ${args.masterHost}:${args.masterPort}, retry ${Math.ceil(this.#tries / 5)}/60.`,
      );
    if (this.#tries > retriesMax) return this.#end(1);
    this.#process.later(retryMs, () => this.begin());
  }

  /** Leaves as SIGTERM has it leave. */
  terminate(): void {
    this.#process.say("main", "Got SIGTERM signal");
    this.#end(0);
  }

  /** Is gone, without a word. */
  vanish(): void {
    if (this.#process.isOver) return;
    this.#process.end();
    this.#master?.disconnect(this.#id, { isOrderly: false });
  }

  /** Waits for the master's silence: it is looked for now and then. */
  #listen(silentSince?: number): void {
    this.#process.later(retryMs, () => {
      if (this.#master?.process.isOver !== true) return this.#listen();
      const since = silentSince ?? this.#process.now;
      if (this.#process.now - since < silenceMs) return this.#listen(since);
      this.#process.say("runners", "Didn't get heartbeat from master in over 60s, quitting", "ERROR");
      this.#end(0);
    });
  }

  #quit(text: string): void {
    this.#process.say("runners", text);
    this.#end(0);
  }

  #end(exitCode: number): void {
    if (this.#process.isOver) return;
    this.#process.say("main", `Shutting down (exit code ${exitCode})`);
    this.#process.end();
    this.#master?.disconnect(this.#id, { isOrderly: true });
    this.#onEnd(exitCode);
  }
}
