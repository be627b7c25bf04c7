/** Limits of a session. */
export interface MuxLimits {
  /** Window of a new stream in bytes. The protocol fixes it: both ends must know it before the first window update. */
  readonly windowBytes: number;
  /** Maximum to which a receive window grows. */
  readonly windowBytesMax: number;
  /** Maximum length of the data frames that are sent. Longer ones delay other streams. */
  readonly frameBytesMax: number;
  /** Open streams per session, of both ends together. */
  readonly streamsMax: number;
  /** Streams that were opened and not accepted yet, per end. */
  readonly unacceptedMax: number;
  /** Received bytes that were not consumed, of all streams. Above it the largest streams get no window updates; at twice the limit the largest is reset. */
  readonly unreadBytesMax: number;
  /** Bytes queued in the carrier above which no data frame is written. */
  readonly queuedBytesHigh: number;
  /** Bytes queued in the carrier below which writing of data frames goes on. */
  readonly queuedBytesLow: number;
  /** Bytes queued in the carrier at which the session ends: the peer sends requests for responses, and does not read them. */
  readonly queuedBytesMax: number;
  /** Bytes that a stream queues before `write` returns false. */
  readonly streamQueueBytes: number;
  /** Time between two pings, in milliseconds. */
  readonly pingMs: number;
  /** Consecutive intervals without a received byte after which the connection counts as dead. */
  readonly missesMax: number;
  /** Time that the peer has to close the connection after the last frame, in milliseconds. */
  readonly closeMs: number;
}

/** The default limits. */
export const defaultMuxLimits: MuxLimits = {
  windowBytes: 256 * 1024,
  windowBytesMax: 16 * 1024 * 1024,
  frameBytesMax: 128 * 1024,
  streamsMax: 1000,
  unacceptedMax: 256,
  unreadBytesMax: 64 * 1024 * 1024,
  queuedBytesHigh: 1024 * 1024,
  queuedBytesLow: 512 * 1024,
  queuedBytesMax: 8 * 1024 * 1024,
  streamQueueBytes: 256 * 1024,
  pingMs: 10_000,
  missesMax: 2,
  closeMs: 5_000,
};
