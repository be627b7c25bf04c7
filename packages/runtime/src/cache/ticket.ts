import { isMetadataOnly, WriteAnswer } from "@homeostat/client";
import { formatApiVersion, type KubeObject, type ObjectKey, type ResourceType } from "@homeostat/core";
import type { OwnDeletion } from "./ledger.ts";
import type { OwnWrite } from "./own-writes.ts";
import { isRemoval, readDeletionAnswer, type WriteEvidence, type Writer, type WriteTicket } from "./writes.ts";

/** Somebody who has to know of writes: an informer. */
export interface WriteReceiver {
  /** Whether it could have objects of a namespace. */
  covers(namespace: string): boolean;
  beginWrite(
    name: { namespace: string; name: string },
    options: { writer: string | undefined; isLate: boolean },
  ): OwnWrite;
  wrote(write: OwnWrite, answer: KubeObject | WriteAnswer, evidence: WriteEvidence): void;
  deleted(write: OwnWrite, deletion: OwnDeletion): void;
  failed(write: OwnWrite): void;
}

/** What a write is about, and who has to know. */
export interface TicketParts {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly writer: Writer | undefined;
  /** The informers of the kind, at the time of asking. */
  readonly receivers: () => readonly WriteReceiver[];
}

/** Announces a write to all informers that could have its object, and brings them its answer. */
export function openTicket(parts: TicketParts): WriteTicket {
  return new Ticket(parts);
}

class Ticket implements WriteTicket {
  readonly #parts: TicketParts;
  readonly #name: { readonly namespace: string; readonly name: string };
  /** Who was told of the write before it was sent, and what it is called there, in pairs. */
  readonly #receivers: WriteReceiver[] = [];
  readonly #writes: OwnWrite[] = [];
  #isAnswered = false;

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

  wrote(answer: KubeObject | WriteAnswer, evidence: WriteEvidence = {}): void {
    // The answer of a subresource may be of another kind, and says nothing of the object.
    if (!isOfType(answer, this.#parts.type)) return this.failed();
    if (isRemoval(answer)) return this.#gone(uidOf(answer));
    this.#answer((receiver, write) => receiver.wrote(write, answer, evidence));
  }

  deleted(answer: unknown): void {
    const deletion = readDeletionAnswer(answer);
    if ("object" in deletion) return this.wrote(deletion.object, { sent: deletion.sent });
    this.#gone(deletion.uid);
  }

  /** The object with this uid does not exist any more. */
  #gone(uid: string | undefined): void {
    const { namespace, name } = this.#name;
    this.#answer((receiver, write) => receiver.deleted(write, { namespace, name, uid }));
  }

  failed(): void {
    this.#answer((receiver, write) => receiver.failed(write));
  }

  [Symbol.dispose](): void {
    this.failed();
  }

  #answer(take: (receiver: WriteReceiver, write: OwnWrite) => void): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    // Informers may have come and gone since.
    for (const receiver of this.#parts.receivers()) {
      if (!receiver.covers(this.#name.namespace)) continue;
      take(receiver, this.#writes[this.#receivers.indexOf(receiver)] ?? this.#begin(receiver, true));
    }
  }

  #begin(receiver: WriteReceiver, isLate: boolean): OwnWrite {
    return receiver.beginWrite(this.#name, { writer: this.#parts.writer, isLate });
  }
}

function uidOf(answer: KubeObject | WriteAnswer): string | undefined {
  return answer instanceof WriteAnswer ? answer.uid : answer.metadata.uid;
}

/** Whether an answer shows objects of a kind, and all of them. */
export function isOfType(answer: KubeObject | WriteAnswer, type: ResourceType): boolean {
  if (!(answer instanceof WriteAnswer)) {
    return answer.kind === type.kind && answer.apiVersion === formatApiVersion(type);
  }
  const { kind, group, version } = answer.type;
  if (isMetadataOnly(answer.type)) return false;
  return kind === type.kind && group === type.group && version === type.version;
}
