import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { LogLine, LogLines, LogState } from "../../api/types.ts";
import { appendLines, type ShownLog, emptyLog } from "../../present/shown-log.ts";
import { ConnectionNote } from "../common/parts.tsx";
import { useStream } from "../common/stream.ts";

/** A pod whose log is shown. */
export interface LogPod {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The log of a container, followed while it is shown. */
export function LogTail({ pods }: { readonly pods: readonly LogPod[] }): JSX.Element {
  const [podName, setPodName] = useState("");
  const pod = pods.find(({ name }) => name === podName) ?? pods[0];
  if (pod === undefined) return <p class="empty">There are no pods.</p>;
  return (
    <>
      {pods.length === 1 ? undefined : (
        <Choice label="Pod" value={pod.name} options={pods.map(({ name }) => name)} choose={setPodName} />
      )}
      <PodLog key={pod.name} pod={pod} />
    </>
  );
}

function PodLog({ pod: { namespace = "", name } }: { readonly pod: LogPod }): JSX.Element {
  const [container, setContainer] = useState("");
  const [state, setState] = useState<LogState>();
  const [log, setLog] = useState<ShownLog>(emptyLog);
  const stream = useStream("log", new URLSearchParams({ namespace, name, container }).toString(), {
    log: (data) => setState(JSON.parse(data)),
    lines: (data) => {
      const lines: LogLines = JSON.parse(data);
      setLog((before) => appendLines(before, lines));
    },
    missing: () => setState(undefined),
  });
  const choose = (chosen: string): void => {
    setLog(emptyLog);
    setContainer(chosen);
  };
  return (
    <>
      <ConnectionNote stream={stream} />
      {state === undefined || state.containers.length < 2 ? undefined : (
        <Choice label="Container" value={state.container} options={state.containers} choose={choose} />
      )}
      {state === undefined ? undefined : (
        <p>
          Container {state.container}: {state.state}
        </p>
      )}
      <Lines log={log} name={name} />
    </>
  );
}

/** Lines of a log. They stay at the end while the user has not scrolled away from it. */
function Lines({ log, name }: { readonly log: ShownLog; readonly name: string }): JSX.Element {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [log]);
  return (
    <pre
      ref={box}
      class="log"
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label={`Log of ${name}`}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - lineSlack;
      }}
    >
      {log.omitted === 0 ? undefined : (
        <em>
          {log.omitted} earlier lines are not shown.{"\n"}
        </em>
      )}
      {log.lines.length === 0 ? <em>The container has written no lines.</em> : undefined}
      {log.lines.map((line) => (
        <Line key={line.index} line={line} isRestart={log.restarts.includes(line.index)} />
      ))}
    </pre>
  );
}

/** Distance from the end at which the box still counts as scrolled to the end, in pixels. */
const lineSlack = 24;

function Line({ line: { at, text }, isRestart }: { readonly line: LogLine; readonly isRestart: boolean }): JSX.Element {
  return (
    <>
      {isRestart ? <em>The container was started again.{"\n"}</em> : undefined}
      <time dateTime={at}>{at.slice(11, 19)}</time> {text}
      {"\n"}
    </>
  );
}

function Choice({
  label,
  value,
  options,
  choose,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly choose: (value: string) => void;
}): JSX.Element {
  return (
    <label class="log-choice">
      {label}
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}
