import type { Clock, JsonRecord } from "@homeostat/core";
import { versionTooLargeStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { Store } from "../storage/store.ts";

/** How long a read waits for a version that is not there yet. */
const waitMsMax = 3_000;

/**
 * Settles when the store has reached a revision; at once when it has.
 *
 * Throws a `StatusError` (504) when it does not come within three seconds.
 */
export async function untilRevision(store: Store<JsonRecord>, clock: Clock, revision: number): Promise<void> {
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

/** The revision that a text stands for: 0 for the empty one; or the server's words for what is none. */
export function readRevision(text: string): number | { readonly problem: string } {
  if (text === "") return 0;
  if (digits.test(text) && BigInt(text) <= 18446744073709551615n) return Number(text);
  const why = digits.test(text) || /^\d+$/.test(text) ? "value out of range" : "invalid syntax";
  return { problem: `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}` };
}
