import { ApiError, DeadlineError, NetworkError } from "@homeostat/core";
import { TooLongError } from "@homeostat/client";
import { Pod } from "@homeostat/kubernetes/core/v1";
import type { LogLine, LogLines, LogState } from "../api/types.ts";
import { RequestError } from "../errors.ts";
import { LogPosition, logSource, type LogSource } from "./log-lines.ts";
import { batched, type RunView, type ViewContext, type ViewMessage } from "./view.ts";

/** Number of lines with which the log of a container begins. */
const tailLines = 500;
/** Largest size of a line as the API server sends it. The page shows the beginning of long lines only. */
const lineBytesMax = 16 * 1024 * 1024;
/** Largest number of lines of one message; older ones are left out. */
const linesMax = 1_000;
/** Interval at which a container that writes no log is looked at, in milliseconds. */
const pollMs = 2_000;

/** A container of a pod. */
export interface LogPlace {
  readonly namespace: string;
  readonly name: string;
  /** Undefined for the default container. */
  readonly container?: string | undefined;
}

/**
 * Returns the view of the log of a container: `log` with its state, and `lines` as the container writes them. A restarted container is followed again;
 * `missing` stands for a pod that does not exist.
 */
export function logView(context: ViewContext, place: LogPlace): RunView {
  return (emit, signal) => new PodLog(context, place, { emit, signal }).run();
}

class PodLog {
  readonly #context: ViewContext;
  readonly #place: LogPlace;
  readonly #emit: (message: ViewMessage) => void;
  readonly #signal: AbortSignal;
  readonly #position = new LogPosition();
  /** Instance that was read last. */
  #instance: string | undefined;
  /** True if all lines of that instance were read. */
  #isComplete = false;
  #waiting: LogLine[] = [];
  #omitted = 0;
  #sent = 0;
  #isRestarted = false;
  #lastState = "";

  constructor(
    context: ViewContext,
    place: LogPlace,
    { emit, signal }: { readonly emit: (message: ViewMessage) => void; readonly signal: AbortSignal },
  ) {
    this.#context = context;
    this.#place = place;
    this.#emit = emit;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { client, clock } = this.#context;
    const { namespace, name, container } = this.#place;
    while (!this.#signal.aborted) {
      const pod = await client.get(Pod, { namespace, name }, { signal: this.#signal });
      const source = pod === undefined ? undefined : logSource(pod, container);
      if (pod !== undefined && source === undefined)
        throw new RequestError(404, `Pod ${namespace}/${name} has no container ${container ?? ""}.`);
      this.#sendState(source);
      if (source?.instance !== undefined) await this.#follow(source, source.instance);
      await clock.sleep(pollMs, this.#signal).catch(() => undefined);
    }
  }

  /** Reads the log of an instance until it ends or the connection breaks. */
  async #follow({ container, hasEnded }: LogSource, instance: string): Promise<void> {
    const { client, clock } = this.#context;
    const { namespace, name } = this.#place;
    if (instance !== this.#instance) {
      this.#isRestarted = this.#instance !== undefined;
      this.#instance = instance;
    } else if (this.#isComplete) return;
    this.#isComplete = false;
    const sinceTime = this.#position.begin(instance);
    const signal = this.#signal;
    const soon = batched(clock, () => this.#sendLines());
    try {
      const from = sinceTime === undefined ? { tailLines } : { sinceTime };
      const options = { container, follow: true, timestamps: true, lineBytesMax, ...from, signal };
      for await (const text of client.logs({ namespace, name }, options)) {
        const line = this.#position.next(text);
        if (line === undefined) continue;
        this.#waiting.push(line);
        if (this.#waiting.length > linesMax) {
          this.#waiting.shift();
          this.#omitted += 1;
        }
        soon();
      }
      this.#isComplete = hasEnded;
    } catch (error) {
      if (signal.aborted) return;
      // Between two instances, and while the node cannot be reached, the API server has no log. It is asked again.
      if (error instanceof TooLongError)
        throw new RequestError(
          502,
          `The log of container ${container} has a line of more than ${lineBytesMax} bytes. Read it with kubectl logs.`,
        );
      if (!isTransient(error)) throw error;
    }
    this.#sendLines();
  }

  #sendState(source: LogSource | undefined): void {
    const { containers = [], container = "", state = "" } = source ?? {};
    const data: LogState = { containers, container, state };
    const text = JSON.stringify(data);
    if (text === this.#lastState || this.#signal.aborted) return;
    this.#lastState = text;
    this.#emit(source === undefined ? { event: "missing", data: {} } : { event: "log", data });
  }

  #sendLines(): void {
    if (this.#signal.aborted || this.#waiting.length === 0) return;
    const data: LogLines = {
      first: this.#sent,
      lines: this.#waiting,
      omitted: this.#omitted,
      isRestarted: this.#isRestarted,
    };
    this.#sent += this.#waiting.length;
    [this.#waiting, this.#omitted, this.#isRestarted] = [[], 0, false];
    this.#emit({ event: "lines", data });
  }
}

/** Reports whether a later attempt to read a log may succeed. */
function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) return error.status !== 401 && error.status !== 403;
  return error instanceof NetworkError || error instanceof DeadlineError;
}
