/** Names of the machine itself. No other site can have them, so a request with such a name as Host is not caused by DNS rebinding. */
export const loopbackNames: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

/** Reports whether a `Host` header names the machine of the browser, with any port. */
export function isLoopbackHost(host: string): boolean {
  return loopbackNames.includes(host.toLowerCase().replace(/:\d+$/, ""));
}
