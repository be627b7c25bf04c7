import { isMetadataOnly, WriteAnswer } from "@homeostat/client";
import { formatApiVersion, type KubeObject, type ObjectKey, type ResourceType } from "@homeostat/core";
import type { OwnDeletion } from "./ledger.ts";
import type { OwnWrite } from "./own-writes.ts";
import { readDeletionAnswer, type WriteEvidence, type Writer, type WriteTicket } from "./writes.ts";

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
export function openTicket({ type, key, writer, receivers }: TicketParts): WriteTicket {
  const { namespace = "", name } = key;
  const covering = (): WriteReceiver[] => receivers().filter((receiver) => receiver.covers(namespace));
  const begin = (receiver: WriteReceiver, isLate: boolean): OwnWrite =>
    receiver.beginWrite({ namespace, name }, { writer, isLate });
  const open = new Map(covering().map((receiver) => [receiver, begin(receiver, false)]));
  let isAnswered = false;
  const answer = (take: (receiver: WriteReceiver, write: OwnWrite) => void): void => {
    if (isAnswered) return;
    isAnswered = true;
    // Informers may have come and gone since.
    for (const receiver of covering()) take(receiver, open.get(receiver) ?? begin(receiver, true));
  };
  const failed = (): void => answer((receiver, write) => receiver.failed(write));
  const wrote: WriteTicket["wrote"] = (body, evidence = {}) => {
    // The answer of a subresource may be of another kind, and says nothing of the object.
    if (!isOfType(body, type)) return failed();
    answer((receiver, write) => receiver.wrote(write, body, evidence));
  };
  const deleted: WriteTicket["deleted"] = (body) => {
    const deletion = readDeletionAnswer(body);
    if ("object" in deletion) return wrote(deletion.object, { sent: deletion.sent });
    const { uid } = deletion;
    answer((receiver, write) => receiver.deleted(write, { namespace, name, uid }));
  };
  return { wrote, deleted, failed, [Symbol.dispose]: failed };
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
