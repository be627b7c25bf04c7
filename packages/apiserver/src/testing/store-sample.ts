import { FakeClock } from "@homeostat/core";
import type { Entry } from "../storage/entry.ts";
import { Store, type StoreOptions, type ValueSource } from "../storage/store.ts";

/** The object type of these tests. */
export interface Sample {
  readonly metadata: { readonly resourceVersion: string; readonly labels: { readonly color: string } };
  readonly n: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function decodeSample(bytes: Uint8Array): Sample {
  return JSON.parse(decoder.decode(bytes)) as Sample;
}

/** Returns a value with its own revision, a number and a colour to select by. */
export function sample(n: number, color = "red"): ValueSource<Sample> {
  return (revision) => {
    const object = { metadata: { resourceVersion: String(revision), labels: { color } }, n };
    return { bytes: encoder.encode(JSON.stringify(object)), object };
  };
}

/** Returns the number that {@link sample} was given. */
export function numberOf({ bytes }: Entry<Sample>): number {
  return decodeSample(bytes).n;
}

export function colorOf({ bytes }: Entry<Sample>): string {
  return decodeSample(bytes).metadata.labels.color;
}

export function newStore(options: Partial<StoreOptions<Sample>> = {}): { store: Store<Sample>; clock: FakeClock } {
  const clock = new FakeClock();
  return { clock, store: new Store<Sample>({ clock, decode: decodeSample, ...options }) };
}
