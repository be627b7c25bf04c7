// The server's part of the handshake:
//
//   client ──connection, control stream──▶ server
//          ◀── challenge (nonce) ────────
//          ── hello (key, signature) ───▶   signature valid? authorized by the LocalWorkload and its policies?
//          ◀── welcome, or refuse ───────
//
// An unknown object, a key that is not listed and a wrong signature get the same response after the same time: a client learns nothing about objects
// that it has no key for.
import type { Clock } from "@homeostat/core";
import type { Carrier } from "../carrier/carrier.ts";
import { ProtocolError } from "../errors.ts";
import { goAwayCode } from "../frames/frame.ts";
import { isSignedBy } from "../handshake/machine-key.ts";
import { type Hello, protocolVersion } from "../handshake/messages.ts";
import type { MuxLimits } from "../mux/limits.ts";
import { Session, type SessionEnd } from "../mux/session.ts";
import type { MuxStream } from "../mux/stream.ts";
import { ControlChannel } from "./control-channel.ts";

/** The decision about a client whose signature is valid. */
export type AttachVerdict =
  | { readonly isAllowed: true; readonly tunnelId: string; readonly epoch: number; readonly routingKey: string }
  | { readonly isAllowed: false; readonly reason: string; readonly isRetryable: boolean };

/** Options of {@link acceptTunnel}. */
export interface AcceptTunnelOptions {
  readonly carrier: Carrier;
  readonly clock: Clock;
  readonly limits?: Partial<MuxLimits>;
  /** SHA-256 of the certificate that this server presents, in hex. */
  readonly certificateSha256: string;
  /** Returns 32 random bytes in base64url, never the same twice. */
  readonly nonce: () => string;
  /** Decides about a client whose signature is valid. An object that does not exist is refused with `Denied`. */
  readonly authorize: (hello: Hello) => Promise<AttachVerdict>;
  /** Called with each stream that the client opens after it was accepted. */
  readonly onStream: (stream: MuxStream) => void;
  readonly onEnd: (end: SessionEnd) => void;
}

/** A client that was accepted. */
export interface AcceptedTunnel {
  readonly session: Session;
  readonly hello: Hello;
}

/** Time in which a client must send its hello, in milliseconds. */
const helloMs = 10_000;
/** Delay of every refusal, in milliseconds: guessing is slow, and takes the same time for all reasons. */
const refusalMs = 1_000;

const denied: AttachVerdict = { isAllowed: false, reason: "Denied", isRetryable: false };

/** Runs the handshake on a new connection. Resolves with the tunnel, or with undefined if the client was refused or left; the connection is then closed. */
export async function acceptTunnel(options: AcceptTunnelOptions): Promise<AcceptedTunnel | undefined> {
  const { carrier, clock, limits = {}, nonce, onEnd } = options;
  const control = new ControlChannel();
  let isControlOpen = false;
  let isAccepted = false;
  let opened: () => void = () => undefined;
  const untilOpened = new Promise<void>((resolve) => (opened = resolve));
  const session = Session.start({
    carrier,
    side: "server",
    clock,
    limits,
    onEnd: (end) => {
      opened();
      if (isAccepted) onEnd(end);
    },
    onStream: (stream) => {
      if (isAccepted) return options.onStream(stream);
      // Nothing but the control stream exists before the client was accepted.
      if (isControlOpen) return stream.reset();
      isControlOpen = true;
      control.attach(stream);
      stream.accept();
      opened();
    },
  });
  using timer = clock.schedule(helloMs, opened);
  await untilOpened;
  timer[Symbol.dispose]();
  const challenge = nonce();
  control.send({ t: "challenge", nonce: challenge });
  try {
    if (!isControlOpen) throw new ProtocolError("the client opened no control stream");
    const hello = await control.next(["hello"], { clock, timeoutMs: helloMs });
    const verdict = await judge(hello, challenge, options);
    if (!verdict.isAllowed) {
      await clock.sleep(refusalMs);
      control.send({ t: "refuse", reason: verdict.reason, retry: verdict.isRetryable });
    } else if (!session.isEnded) {
      isAccepted = true;
      const { tunnelId, epoch, routingKey } = verdict;
      control.send({ t: "welcome", tunnelId, epoch, routingKey });
      return { session, hello };
    }
  } catch (error) {
    if (!(error instanceof ProtocolError)) {
      session.close();
      throw error;
    }
  }
  session.goAway(goAwayCode.normal);
  session.close();
  return undefined;
}

async function judge(
  hello: Hello,
  nonce: string,
  { certificateSha256, authorize }: AcceptTunnelOptions,
): Promise<AttachVerdict> {
  if (hello.v !== protocolVersion)
    return { isAllowed: false, reason: `Version: ${protocolVersion} is required`, isRetryable: false };
  const [namespace = "", name = ""] = hello.workload.split("/", 2);
  const facts = { nonce, certificateSha256, namespace, name, uid: hello.uid };
  return isSignedBy(hello.key, facts, hello.sig) ? authorize(hello) : denied;
}
