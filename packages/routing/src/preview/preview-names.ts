// Places of a request that carry a preview token. The gateway reads and removes them; no Service ever receives one.

import { keyCookie, keyParameter } from "../key/browser.ts";

/** Name of the cookie with a preview token. */
export const previewCookie = "sandbox-preview";
/** Name of the header with a preview token, for clients that are not browsers. */
export const previewHeader = "x-preview-token";
/** Name of the query parameter of a link with a preview token. The gateway turns it into a cookie. */
export const previewParameter = "sandbox-preview";

/** Cookies that the gateway does not forward. */
export const gatewayCookies: readonly string[] = [keyCookie, previewCookie];
/** Query parameters that the gateway does not forward. */
export const gatewayParameters: readonly string[] = [keyParameter, previewParameter];
