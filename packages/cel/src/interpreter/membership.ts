import { CelFailure } from "../failure.ts";
import { EntryMap } from "../values/collections.ts";
import { CelList, CelUint, type CelValue } from "../values/value.ts";
import type { Step } from "./frame.ts";

/**
 * Plans `x in [...]` with a constant list as a lookup. Returns undefined if the list is not a list of scalars.
 *
 * As in the API server, such a test costs only the evaluation of its left side, and nothing if the list is empty.
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
      const member = value(frame);
      return member instanceof CelFailure ? member : members.find(member) !== undefined;
    },
  };
}

/** Adds a member as every number type to which it is equal. NaN equals nothing and is not added. */
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
