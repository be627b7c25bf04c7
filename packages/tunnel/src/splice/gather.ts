import { atEndOfTurn } from "@homeostat/core";

let gathered: (() => void)[] = [];

/**
 * Calls a function at the end of the present turn of the event loop, directly after those of other streams.
 *
 * Node calls back after each write in a microtask. Functions of their own turns would have their callbacks between them, so each window update that a
 * callback sends would become a TLS record and a system call of its own. After this call, all callbacks follow all writes.
 */
export function gather(write: () => void): void {
  if (gathered.push(write) === 1) atEndOfTurn(writeAll);
}

function writeAll(): void {
  const writes = gathered;
  gathered = [];
  for (const write of writes) write();
}
