import { isMetadataOnly, WriteResponse } from "@homeostat/client";
import { formatApiVersion, type KubeObject, type ObjectKey, type ResourceType } from "@homeostat/core";
import type { OwnDeletion } from "./ledger.ts";
import type { OwnWrite } from "./own-writes.ts";
import { isRemoval, readDeletionResponse, type WriteEvidence, type Writer, type WriteTicket } from "./writes.ts";

/** An informer, as seen by a write ticket. */
export interface WriteReceiver {
  /** Reports whether the informer can contain objects of a namespace. */
  covers(namespace: string): boolean;
  beginWrite(
    name: { namespace: string; name: string },
    options: { writer: string | undefined; isLate: boolean },
  ): OwnWrite;
  wrote(write: OwnWrite, response: KubeObject | WriteResponse, evidence: WriteEvidence): void;
  deleted(write: OwnWrite, deletion: OwnDeletion): void;
  failed(write: OwnWrite): void;
}

/** The object that is written, the writer, and the informers to notify. */
export interface TicketParts {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly writer: Writer | undefined;
  /** Returns the current informers of the kind. */
  readonly receivers: () => readonly WriteReceiver[];
}

/** Announces a write to all informers that may contain its object, and passes its response on to them. */
export function openTicket(parts: TicketParts): WriteTicket {
  return new Ticket(parts);
}

class Ticket implements WriteTicket {
  readonly #parts: TicketParts;
  readonly #name: { readonly namespace: string; readonly name: string };
  /** Informers notified before the write was sent, and their records of it, at the same index. */
  readonly #receivers: WriteReceiver[] = [];
  readonly #writes: OwnWrite[] = [];
  #isDone = false;

  constructor(parts: TicketParts) {
    this.#parts = parts;
    const { namespace = "", name } = parts.key;
    this.#name = { namespace, name };
    for (const receiver of parts.receivers()) {
      if (!receiver.covers(namespace)) continue;
      this.#receivers.push(receiver);
      this.#writes.push(this.#begin(receiver, false));
    }
  }

  wrote(response: KubeObject | WriteResponse, evidence: WriteEvidence = {}): void {
    // The response of a subresource may be of another kind (`Scale`, `Eviction`) and then says nothing about the
    // object.
    if (!isOfType(response, this.#parts.type)) return this.failed();
    if (isRemoval(response)) return this.#reportDeleted(uidOf(response));
    this.#respond((receiver, write) => receiver.wrote(write, response, evidence));
  }

  deleted(response: unknown): void {
    const deletion = readDeletionResponse(response);
    if ("object" in deletion) return this.wrote(deletion.object, { sent: deletion.sent });
    this.#reportDeleted(deletion.uid);
  }

  /** Reports to all informers that the object with this uid no longer exists. */
  #reportDeleted(uid: string | undefined): void {
    const { namespace, name } = this.#name;
    this.#respond((receiver, write) => receiver.deleted(write, { namespace, name, uid }));
  }

  failed(): void {
    this.#respond((receiver, write) => receiver.failed(write));
  }

  [Symbol.dispose](): void {
    this.failed();
  }

  #respond(take: (receiver: WriteReceiver, write: OwnWrite) => void): void {
    if (this.#isDone) return;
    this.#isDone = true;
    // Informers may have been added or removed since the write was announced.
    for (const receiver of this.#parts.receivers()) {
      if (!receiver.covers(this.#name.namespace)) continue;
      take(receiver, this.#writes[this.#receivers.indexOf(receiver)] ?? this.#begin(receiver, true));
    }
  }

  #begin(receiver: WriteReceiver, isLate: boolean): OwnWrite {
    return receiver.beginWrite(this.#name, { writer: this.#parts.writer, isLate });
  }
}

function uidOf(response: KubeObject | WriteResponse): string | undefined {
  return response instanceof WriteResponse ? response.uid : response.metadata.uid;
}

/** Reports whether a response contains full objects of a kind. */
export function isOfType(response: KubeObject | WriteResponse, type: ResourceType): boolean {
  if (!(response instanceof WriteResponse)) {
    return response.kind === type.kind && response.apiVersion === formatApiVersion(type);
  }
  const { kind, group, version } = response.type;
  if (isMetadataOnly(response.type)) return false;
  return kind === type.kind && group === type.group && version === type.version;
}
