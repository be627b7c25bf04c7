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
import {
  type Bye,
  type ByeReason,
  detailOf,
  type Hello,
  type PortState,
  protocolVersions,
  type RefuseReason,
  type VersionRange,
} from "../handshake/messages.ts";
import type { MuxLimits } from "../mux/limits.ts";
import { Session, type SessionEnd } from "../mux/session.ts";
import type { MuxStream } from "../mux/stream.ts";
import { ControlChannel } from "./control-channel.ts";

/** The decision about a client whose signature is valid. */
export type AttachVerdict =
  | {
      readonly isAllowed: true;
      readonly tunnelId: string;
      readonly epoch: number;
      readonly routingKey: string;
      /** False for a standby. */
      readonly isActive: boolean;
    }
  | {
      readonly isAllowed: false;
      readonly reason: RefuseReason;
      readonly detail?: string;
      readonly isRetryable: boolean;
    };

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
  /** Called when a client was refused, with the reason; also when it sent no valid hello. */
  readonly onRefused?: (reason: RefuseReason | "Protocol", hello: Hello | undefined) => void;
  /** Called with each stream that the client opens after it was accepted. Pass it to `acceptStream` with `out`. */
  readonly onStream: (stream: MuxStream) => void;
  /** Called when the client reports the state of a local port. Names and states of a client are not trusted: check them. */
  readonly onPort?: (name: string, state: PortState) => void;
  /** Called once when the session has ended. `bye` is the last message of the client, if it left on purpose. */
  readonly onEnd: (end: SessionEnd, bye: Bye | undefined) => void;
  /** Versions of the protocol that this server speaks; the default is right outside of tests. */
  readonly versions?: VersionRange;
}

/** A client that was accepted. */
export interface AcceptedTunnel {
  readonly session: Session;
  readonly hello: Hello;
  /** Tells the client whether it is active or a standby. */
  setActive(isActive: boolean): void;
  /** Asks the client to connect to another replica. Open streams go on; end the tunnel with {@link AcceptedTunnel.close} after the grace time. */
  drain(graceMs: number): void;
  /** Says why the tunnel ends, and ends it. Open streams are reset. */
  close(bye: { readonly reason: ByeReason; readonly detail?: string; readonly retry: boolean }): void;
}

/** Time in which a client must send its hello, in milliseconds. */
const helloMs = 10_000;
/** Delay of every refusal, in milliseconds: guessing is slow, and takes the same time for all reasons. */
const refusalMs = 1_000;

const denied: AttachVerdict = { isAllowed: false, reason: "Denied", isRetryable: false };

/** Runs the handshake on a new connection. Resolves with the tunnel, or with undefined if the client was refused or left; the connection is then closed. */
export async function acceptTunnel(options: AcceptTunnelOptions): Promise<AcceptedTunnel | undefined> {
  const { carrier, clock, limits = {}, nonce, onEnd, onRefused, versions = protocolVersions } = options;
  const control = new ControlChannel();
  let isControlOpen = false;
  let isAccepted = false;
  let bye: Bye | undefined;
  let opened: () => void = () => undefined;
  const untilOpened = new Promise<void>((resolve) => (opened = resolve));
  const session = Session.start({
    carrier,
    side: "server",
    clock,
    limits,
    onEnd: (end) => {
      opened();
      if (isAccepted) onEnd(end, bye);
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
  control.send({ t: "challenge", vMin: versions.min, vMax: versions.max, nonce: challenge });
  let hello: Hello | undefined;
  try {
    if (!isControlOpen) throw new ProtocolError("the client opened no control stream");
    hello = await control.next(["hello"], { clock, timeoutMs: helloMs });
    const verdict = await judge(hello, challenge, options);
    if (!verdict.isAllowed) {
      await clock.sleep(refusalMs);
      const { reason, detail = "", isRetryable } = verdict;
      control.send({ t: "refuse", reason, detail: detailOf(detail), retry: isRetryable });
      onRefused?.(reason, hello);
    } else if (!session.isEnded) {
      isAccepted = true;
      const { tunnelId, epoch, routingKey, isActive } = verdict;
      control.send({ t: "welcome", tunnelId, epoch, routingKey, active: isActive });
      control.listen(["port", "bye"], {
        take: (message) => {
          if (message.t === "bye") {
            bye = message;
            return;
          }
          const state = portStateOf(message.state);
          options.onPort?.(message.name, state);
        },
        onError: () => session.close(),
      });
      return {
        session,
        hello,
        setActive: (active) => control.send({ t: "role", active }),
        drain: (graceMs) => control.send({ t: "drain", graceMs }),
        close: ({ reason, detail = "", retry }) => {
          control.send({ t: "bye", reason, detail: detailOf(detail), retry });
          session.close();
        },
      };
    }
  } catch (error) {
    if (!(error instanceof ProtocolError)) {
      session.close();
      throw error;
    }
    onRefused?.("Protocol", hello);
  }
  session.goAway(goAwayCode.normal);
  session.close();
  return undefined;
}

async function judge(
  hello: Hello,
  nonce: string,
  { certificateSha256, authorize, versions = protocolVersions }: AcceptTunnelOptions,
): Promise<AttachVerdict> {
  if (!Number.isInteger(hello.v) || hello.v < versions.min || hello.v > versions.max) {
    const detail = `the server speaks the versions ${versions.min} to ${versions.max}`;
    return { isAllowed: false, reason: "Version", detail, isRetryable: false };
  }
  const [namespace = "", name = "", ...rest] = hello.workload.split("/");
  const facts = { nonce, certificateSha256, namespace, name, uid: hello.uid };
  return rest.length === 0 && isSignedBy(hello.key, facts, hello.sig) ? authorize(hello) : denied;
}

function portStateOf(state: string): PortState {
  if (state === "listening" || state === "refused" || state === "timeout") return state;
  throw new ProtocolError("the state of a local port is neither listening, refused nor timeout");
}
