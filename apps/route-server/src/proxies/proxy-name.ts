const proxyName = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/;

/** Reports whether a text can be the name of a proxy, such as that of its pod. */
export function isProxyName(text: string): boolean {
  return proxyName.test(text);
}
