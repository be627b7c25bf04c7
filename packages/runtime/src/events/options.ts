import { ArgumentError, type Clock, qualifiedNameProblems, type Random } from "@homeostat/core";
import type { DroppedEvents, EventDrop } from "./drop-log.ts";
import type { EventSink } from "./event-sink.ts";
import { checkWord } from "./make-event.ts";

/** Counters of events. {@link EventMetrics} exposes them to Prometheus. */
export interface EventMeter {
  /** Counts a recorded event. */
  recorded(): void;
  /** Counts an event, or an updated count, that the server accepted. */
  sent(): void;
  /** Counts an event, or an updated count, that was dropped. */
  dropped(reason: EventDrop): void;
}

/** Options of an {@link EventRecorder}. The default limits are those of client-go. */
export interface EventRecorderOptions {
  readonly sink: EventSink;
  readonly clock: Clock;
  readonly random: Random;
  /** Name of the controller, as a qualified name: `"homeostat.dev/locust"`. */
  readonly reportingController: string;
  /** Name of the process, usually that of its pod. At most 128 bytes. */
  readonly reportingInstance: string;
  /** Number of writes about one object at once. Default 25. */
  readonly burst?: number;
  /** Time after which one more write about an object is allowed. Default 300 s. */
  readonly refillMs?: number;
  /** Number of distinct notes that get events of their own; further ones are combined into one. Default 10. */
  readonly notesMax?: number;
  /** Time without an event after which notes are distinguished again. Default 10 min. */
  readonly notesWindowMs?: number;
  /** Time without a repetition after which a series ends; the next occurrence is a new event. Default 6 min. */
  readonly seriesWindowMs?: number;
  /** Interval at which counts of series are sent. Default 30 s. */
  readonly flushPeriodMs?: number;
  /** Number of series, objects and kinds of events tracked, each. Default 4,096. */
  readonly keysMax?: number;
  /** Maximum number of events waiting to be sent. Default 1,000. */
  readonly queueMax?: number;
  /** Maximum number of attempts per event. Default 6. */
  readonly attemptsMax?: number;
  /** Timeout of one request. Default 10 s. */
  readonly requestTimeoutMs?: number;
  /** Time for sending the remaining events when the recorder stops. Default 3 s. */
  readonly stopGraceMs?: number;
  readonly meter?: EventMeter;
  /**
   * Called with the events that were dropped, to log them: at the first drop, then at most once per `flushPeriodMs` for all that were
   * dropped since, and when the recorder ends. Must not throw.
   */
  readonly onDrops?: (dropped: DroppedEvents) => void;
}

/** Throws if a name would be rejected by the server. */
export function checkReporter({ reportingController, reportingInstance }: EventRecorderOptions): void {
  const [problem] = qualifiedNameProblems(reportingController);
  if (problem !== undefined) throw new ArgumentError({ argument: "reportingController", problem });
  checkWord("reportingInstance", reportingInstance);
}
