/**
 * Returns the host of `host` or `:authority` in the form in which preview hosts are stored: lower case, without port and without the final dot.
 * Returns undefined if it is not a host name.
 */
export function hostNameOf(authority: string | undefined): string | undefined {
  if (authority === undefined || authority.length > 260) return undefined;
  const [, host] = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*)\.?(?::\d{1,5})?$/i.exec(authority) ?? [];
  return host?.toLowerCase();
}
