import { CelFailure } from "../failure.ts";
import { EntryMap } from "../values/collections.ts";
import { CelList, CelUint, type CelValue } from "../values/value.ts";
import type { Step } from "./frame.ts";

/**
 * `x in [...]` with a list written out, as a lookup; `undefined` when the list is no set of scalars.
 *
 * Such a test costs nothing beyond its left side, and nothing at all when the list is empty.
 */
export function constantMembership(
  value: Step | undefined,
  list: CelValue | undefined,
): { readonly step: Step; readonly constant?: CelValue } | undefined {
  if (value === undefined || !(list instanceof CelList)) return undefined;
  if (list.size === 0) return { step: () => false, constant: false };
  const members = new EntryMap();
  for (let index = 0; index < list.size; index++) {
    const element = list.at(index);
    if (element instanceof CelFailure || !isScalar(element)) return undefined;
    addMember(members, element);
  }
  return {
    step: (frame) => {
      const wanted = value(frame);
      return wanted instanceof CelFailure ? wanted : members.find(wanted) !== undefined;
    },
  };
}

/** Adds a member under every kind of number it equals. NaN equals nothing. */
function addMember(members: EntryMap, member: CelValue): void {
  if (Number.isNaN(member)) return;
  members.put(member, true);
  if (typeof member === "bigint") members.put(Number(member), true);
  if (member instanceof CelUint) members.put(Number(member.value), true);
  if (typeof member === "number" && Number.isInteger(member)) members.put(BigInt(member), true);
}

function isScalar(value: CelValue): boolean {
  return typeof value !== "object" || value instanceof CelUint;
}
