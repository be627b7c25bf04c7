/** The part of a Service that selects pods. */
export interface PodSelector {
  /** Absent or empty for Services that select no pods. */
  readonly selector: Readonly<Record<string, string>> | undefined;
}

/** Reports whether a Service selects pods with these labels. A Service without a selector selects none. */
export function selectsPods({ selector = {} }: PodSelector, podLabels: Readonly<Record<string, string>>): boolean {
  const required = Object.entries(selector);
  return (
    required.length > 0 && required.every(([key, value]) => Object.hasOwn(podLabels, key) && podLabels[key] === value)
  );
}
