import type { Client } from "@homeostat/client";
import { type Clock, findCondition, type Random, uuid, withoutUndefined } from "@homeostat/core";
import { previewParameter } from "@homeostat/routing";
import { generateRecipient, openToken } from "@homeostat/x509";
import { PreviewLink, RouteGroup, Sandbox } from "@homeostat/sandbox-operator";
import { CommandError, exitCodes } from "../command/errors.ts";

/** An object with endpoints. */
export interface PreviewTarget {
  readonly kind: "Sandbox" | "RouteGroup";
  readonly name: string;
}

export interface IssueOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly target: PreviewTarget;
  readonly endpoint: string;
  readonly mode: "Personal" | "Share";
  readonly expires: string | undefined;
  /** The only user who may use the link. */
  readonly forUser?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly note: (line: string) => void;
}

/** A token that the operator has issued. */
export interface IssuedLink {
  /** Name of the PreviewLink. */
  readonly id: string;
  /** Address with the token. */
  readonly url: string;
  readonly token: string;
  readonly expiresAt: string;
}

const pollMs = 250;
const nameLengthMax = 63;

/** Reads the endpoints of an object. Throws with the exit code 5 if it does not exist. */
export async function readTarget({
  client,
  namespace,
  target,
  signal,
}: Pick<IssueOptions, "client" | "namespace" | "target" | "signal">): Promise<Sandbox | RouteGroup> {
  const place = { namespace, name: target.name };
  const found =
    target.kind === "Sandbox"
      ? await client.get(Sandbox, place, { signal })
      : await client.get(RouteGroup, place, { signal });
  if (found !== undefined) return found;
  const plural = target.kind === "Sandbox" ? "sandboxes" : "routegroups";
  throw new CommandError(
    `${target.kind} ${namespace}/${target.name} does not exist; see kubectl get ${plural} -n ${namespace}`,
    exitCodes.notFound,
  );
}

/** Requests a token by a PreviewLink, waits for it, and opens it. A request that is refused is deleted again. */
export async function issueLink(options: IssueOptions): Promise<IssuedLink> {
  const { client, namespace, target, endpoint, mode, expires, forUser, random, signal } = options;
  const recipient = generateRecipient();
  const id = `${target.name.slice(0, nameLengthMax - 9).replace(/-+$/, "")}-${uuid(random).slice(0, 8)}`;
  const link = PreviewLink.make({
    metadata: { name: id, namespace },
    spec: {
      targetRef: target,
      endpoint,
      mode,
      publicKey: recipient.publicKey,
      ...withoutUndefined({ expires, forUser }),
    },
  });
  await client.create(PreviewLink, link, { signal });
  try {
    const { token: sealed = "", url = "", expiresAt = "" } = await issued(id, options);
    const token = openToken(sealed, recipient);
    if (token === undefined)
      throw new CommandError(
        `The token of PreviewLink ${namespace}/${id} cannot be opened; try again`,
        exitCodes.error,
      );
    return { id, token, expiresAt, url: `${url}?${previewParameter}=${token}` };
  } catch (error) {
    await client.delete(PreviewLink, { namespace, name: id }).catch(() => undefined);
    throw error;
  }
}

/** Waits until the operator has decided. Prints what it waits for. */
async function issued(
  id: string,
  { client, namespace, clock, signal, note }: IssueOptions,
): Promise<NonNullable<PreviewLink["status"]>> {
  let said = "";
  for (;;) {
    const { status } = (await client.get(PreviewLink, { namespace, name: id }, { signal })) ?? {};
    const ready = findCondition(status?.conditions ?? [], "Ready");
    if (status !== undefined && ready?.status === "True") return status;
    const isFinal =
      ready?.status === "False" && ready.reason !== "WaitingForKeys" && ready.reason !== "EndpointNotServed";
    if (isFinal) throw refusal(id, namespace, ready);
    const text = `waiting for PreviewLink ${namespace}/${id}: ${ready?.reason ?? "Pending"}: ${ready?.message ?? ""}`;
    if (text !== said) note(text);
    said = text;
    await clock.sleep(pollMs, signal);
  }
}

function refusal(
  id: string,
  namespace: string,
  { reason, message }: { readonly reason: string; readonly message: string },
): CommandError {
  const codes: Readonly<Record<string, number>> = {
    AccessDenied: exitCodes.refused,
    IdentityUnavailable: exitCodes.refused,
    EndpointMissing: exitCodes.notFound,
    TargetMissing: exitCodes.notFound,
  };
  return new CommandError(`PreviewLink ${namespace}/${id} is refused (${reason}): ${message}`, codes[reason] ?? 1);
}
