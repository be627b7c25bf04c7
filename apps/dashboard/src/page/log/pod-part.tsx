import type { JSX } from "preact";
import { Section } from "../common/parts.tsx";
import type { KindPartProps } from "../resource/kind-pages.ts";
import { LogTail } from "./log-tail.tsx";

/** The log of a pod. */
export function PodPart({ resource: { ref } }: KindPartProps): JSX.Element {
  return (
    <Section title="Log">
      <LogTail pods={[ref]} />
    </Section>
  );
}
