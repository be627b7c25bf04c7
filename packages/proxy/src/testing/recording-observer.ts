import type { ProxyErrorReason, ProxyObserver, RequestEnd } from "../observe/observer.ts";

/** An observer that keeps what it receives. */
export class RecordingObserver implements ProxyObserver {
  readonly ended: RequestEnd[] = [];
  readonly failures: ProxyErrorReason[] = [];

  requestEnded(end: RequestEnd): void {
    this.ended.push(end);
  }

  failed(reason: ProxyErrorReason): void {
    this.failures.push(reason);
  }
}
