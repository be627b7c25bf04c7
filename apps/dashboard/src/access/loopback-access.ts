import type { IncomingMessage } from "node:http";
import type { Client, Connection } from "@homeostat/client";
import type { Access, Authentication, Login, Session } from "./access.ts";
import { cookieAttributes, cookieOf } from "./cookies.ts";
import { isSameSecret } from "./secrets.ts";

/** Options of {@link loopbackAccess}. */
export interface LoopbackAccessOptions {
  /** Client with the user's credentials. The caller closes it. */
  readonly client: Client;
  readonly connection: Connection;
  /** Returns the port that the server listens on. Browsers send cookies to all ports of a host, so the cookie's name contains it. */
  readonly port: () => number;
  /** Secret of the login link. */
  readonly token: string;
  /** Secret of the cookie. */
  readonly cookieSecret: string;
}

/**
 * Authenticates the user of this machine: a login link with a token that is valid once, exchanged for a cookie.
 *
 * The cookie is not readable by scripts (`HttpOnly`), and browsers do not send it with requests that another site causes (`SameSite=Strict`).
 */
export function loopbackAccess(options: LoopbackAccessOptions): Access {
  const { client, connection, port, token, cookieSecret } = options;
  const session: Session = {
    client,
    connection,
    user: "",
    hasLogout: false,
    [Symbol.dispose]: () => undefined,
  };
  const cookieName = (): string => `homeostat-dashboard-${port()}`;
  let isUsed = false;
  return {
    authenticate(request: IncomingMessage): Authentication {
      const value = cookieOf(request, cookieName());
      if (value !== undefined && isSameSecret(value, cookieSecret)) return { session };
      const message = "You are not logged in. Open the URL that the program printed when it started.";
      return { refusal: { status: 401, message } };
    },
    login(offered: string): Login {
      if (!isSameSecret(offered, token)) {
        const message = "The login link is not valid. Open the URL that the program printed when it started.";
        return { refusal: { status: 401, message } };
      }
      if (isUsed) {
        const message =
          "The login link was used before. Use the browser that opened it, or start the program again to get another link.";
        return { refusal: { status: 401, message } };
      }
      isUsed = true;
      return { cookie: `${cookieName()}=${cookieSecret}; ${cookieAttributes}` };
    },
  };
}
