import type { Clock, JsonRecord } from "@homeostat/core";
import { versionTooLargeStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { Store } from "../storage/store.ts";

/** Time that a read waits for a revision that the store has not reached: `blockTimeout` of the watch cache of kube-apiserver. */
const waitMsMax = 3_000;

/**
 * Waits until the store has reached a revision.
 *
 * Throws a `StatusError` (504) when it does not reach it within three seconds.
 */
export async function waitForRevision(store: Store<JsonRecord>, clock: Clock, revision: number): Promise<void> {
  if (store.visibleRevision >= revision) return;
  await new Promise<void>((resolve, reject) => {
    const finish = (): void => {
      timer[Symbol.dispose]();
      unsubscribe();
    };
    const timer = clock.schedule(waitMsMax, () => {
      finish();
      reject(new StatusError(versionTooLargeStatus(String(revision), String(store.visibleRevision))));
    });
    const unsubscribe = store.subscribe((visible) => {
      if (visible < revision) return;
      finish();
      resolve();
    });
  });
}

const digits = /^\d{1,20}$/;

/** Parses a `resourceVersion`: 0 for the empty string. Returns the error of Go's `strconv.ParseUint` for anything but a revision. */
export function readRevision(text: string): number | { readonly problem: string } {
  if (text === "") return 0;
  if (digits.test(text) && BigInt(text) <= 18446744073709551615n) return Number(text);
  const reason = digits.test(text) || /^\d+$/.test(text) ? "value out of range" : "invalid syntax";
  return { problem: `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${reason}` };
}
