import { ArgumentError, type Clock, qualifiedNameProblems, type Random } from "@homeostat/core";
import type { DroppedEvents, EventDrop } from "./drop-log.ts";
import type { EventSink } from "./event-sink.ts";
import { checkWord } from "./make-event.ts";

/** What counts events; see {@link EventMetrics} for the one that shows them to Prometheus. */
export interface EventMeter {
  /** Something was recorded. */
  recorded(): void;
  /** An event, or a new count of one, has reached the server. */
  sent(): void;
  /** An event, or a new count of one, was dropped. */
  dropped(why: EventDrop): void;
}

/** Options of an {@link EventRecorder}. The limits are client-go's unless told otherwise. */
export interface EventRecorderOptions {
  readonly sink: EventSink;
  readonly clock: Clock;
  readonly random: Random;
  /** The name of the controller, as a qualified name: `"homeostat.dev/locust"`. */
  readonly reportingController: string;
  /** The name of the process: that of its pod. At most 128 bytes. */
  readonly reportingInstance: string;
  /** How many writes about one object at once. Default 25. */
  readonly burst?: number;
  /** How long one more takes to come. Default 300 s. */
  readonly refillMs?: number;
  /** How many different notes make events of their own before they count as one. Default 10. */
  readonly notesMax?: number;
  /** After so long without one, notes are told apart again. Default 10 min. */
  readonly notesWindowMs?: number;
  /** After so long without a repetition a series is over; the next is a new event. Default 6 min. */
  readonly seriesWindowMs?: number;
  /** How often counts of series are sent. Default 30 s. */
  readonly flushPeriodMs?: number;
  /** How many series, objects and kinds of events are remembered, each. Default 4,096. */
  readonly keysMax?: number;
  /** How many events wait to be sent at most. Default 1,000. */
  readonly queueMax?: number;
  /** How often one event is tried. Default 6. */
  readonly triesMax?: number;
  /** How long one request may take. Default 10 s. */
  readonly requestTimeoutMs?: number;
  /** How long sending what is left may take when the recorder is told to stop. Default 3 s. */
  readonly stopGraceMs?: number;
  readonly meter?: EventMeter;
  /**
   * Called with the events that were dropped, to log them: at the first drop, then at most once per `flushPeriodMs` for all that were
   * dropped since, and when the recorder ends. Must not throw.
   */
  readonly onDrops?: (dropped: DroppedEvents) => void;
}

/** Refuses names that the server would not take. */
export function checkReporter({ reportingController, reportingInstance }: EventRecorderOptions): void {
  const [problem] = qualifiedNameProblems(reportingController);
  if (problem !== undefined) throw new ArgumentError({ argument: "reportingController", problem });
  checkWord("reportingInstance", reportingInstance);
}
