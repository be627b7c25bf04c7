import { type Context, createContext } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { SessionView } from "../../api/types.ts";
import { sendWrite } from "../common/send-write.ts";

/** State of the user of the page. */
export type SessionState =
  | { readonly step: "unknown" }
  | { readonly step: "login"; readonly message: string }
  | { readonly step: "in"; readonly user: string; readonly hasLogout: boolean };

/** Ways to change the session. */
export interface SessionActions {
  /** Logs in with a token. Returns the message of a refusal; undefined after a success. */
  logIn(token: string): Promise<string | undefined>;
  logOut(): Promise<void>;
  /** Shows the form for a token, because the server has refused a request of the session. */
  showLogin(message: string): void;
}

/** The actions for components below, such as streams that the server refuses. */
export const SessionContext: Context<SessionActions | undefined> = createContext<SessionActions | undefined>(undefined);

/** Follows the session of the user: asks the server once, and after each login and logout. */
export function useSession(): { readonly state: SessionState; readonly actions: SessionActions } {
  const [state, setState] = useState<SessionState>({ step: "unknown" });
  const actions = useMemo((): SessionActions => {
    const read = async (): Promise<void> => setState(await readSession());
    return {
      async logIn(token) {
        const refusal = await sendWrite("login", { token });
        if (refusal === undefined) await read();
        return refusal;
      },
      async logOut() {
        await sendWrite("logout", {});
        await read();
      },
      showLogin: (message) => setState({ step: "login", message }),
    };
  }, []);
  useEffect(() => {
    void readSession().then(setState);
  }, []);
  return { state, actions };
}

/** Reads the session. If the server does not respond, the page itself says so and tries again. */
async function readSession(): Promise<SessionState> {
  try {
    const response = await fetch("/api/session");
    if (!response.ok) return unknownUser;
    const { user, hasLogout, loginMessage }: SessionView = await response.json();
    return loginMessage === undefined ? { step: "in", user, hasLogout } : { step: "login", message: loginMessage };
  } catch {
    return unknownUser;
  }
}

const unknownUser: SessionState = { step: "in", user: "", hasLogout: false };
