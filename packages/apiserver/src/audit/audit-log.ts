import { closeSync, openSync, writeSync } from "node:fs";
import type { AuditEvent } from "./event.ts";

/** Takes the audit event of each request, after its response is complete. It must not throw. */
export type AuditSink = (event: AuditEvent) => void;

/** A file of audit events. Disposing of it closes the file. */
export interface AuditLogFile extends Disposable {
  readonly write: AuditSink;
}

/**
 * Opens a file and appends audit events to it, one JSON document per line, as kube-apiserver's `--audit-log-path` does.
 * The path `-` is standard output. Only the current user may read a new file.
 *
 * A write is complete before the next request is handled, so that no event is lost when the process is killed.
 */
export function openAuditLog(path: string): AuditLogFile {
  const file = path === "-" ? 1 : openSync(path, "a", 0o600);
  let isOpen = true;
  return {
    write: (event) => {
      if (isOpen) writeSync(file, `${JSON.stringify(event)}\n`);
    },
    [Symbol.dispose]: () => {
      if (isOpen && path !== "-") closeSync(file);
      isOpen = false;
    },
  };
}
