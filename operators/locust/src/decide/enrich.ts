const namedConfigMap = /configmap "([^"]{1,253})"/i;
const namesSecret = /secret "[^"]{1,253}"/i;

/** The text of a configuration error, beginning with the ConfigMap that the test lacks, where that is what it is about. */
export function enriched(text: string, expected: string | undefined): string {
  if (expected === undefined || namesSecret.test(text)) return text;
  const named = namedConfigMap.exec(text)?.[1];
  if (named !== undefined && named !== expected) return text;
  return `ConfigMap not found (expected: ${expected}). ${text}`;
}
