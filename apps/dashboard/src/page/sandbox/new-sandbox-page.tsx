import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { SandboxPreview, WorkloadList, WorkloadRow } from "../../api/sandbox-types.ts";
import { objectPath } from "../../present/routes.ts";
import { CopyButton } from "../common/copy-button.tsx";
import { navigate } from "../common/navigation.tsx";
import { Notes } from "../common/notes.tsx";
import { ConnectionNote, Section } from "../common/parts.tsx";
import { requestWrite, sendWrite } from "../common/send-write.ts";
import { useView } from "../common/use-view.ts";

/** A workload of the form. */
interface FormEntry {
  readonly id: number;
  /** `Deployment cart`. */
  readonly workload: string;
  readonly container: string;
  readonly image: string;
  readonly env: string;
}

interface Form {
  readonly name: string;
  readonly ttl: string;
  readonly routingKey: string;
  readonly entries: readonly FormEntry[];
}

/** A form that creates a sandbox from workloads of a namespace. It shows the manifest and the verdict of admission first. */
export function NewSandboxPage({ namespace }: { readonly namespace: string }): JSX.Element {
  if (namespace === "") return <p class="empty">Enter the namespace of the workloads that the sandbox changes.</p>;
  return <Workloads namespace={namespace} />;
}

function Workloads({ namespace }: { readonly namespace: string }): JSX.Element {
  const { data, stream } = useView("workloads", new URLSearchParams({ namespace }).toString());
  return (
    <>
      <ConnectionNote stream={stream} />
      {data === undefined ? <p aria-busy="true">Loading.</p> : <Notes notes={data.notes} />}
      {data?.rows.length === 0 ? (
        <p class="empty">Namespace {namespace} has no Deployment or StatefulSet that you may read.</p>
      ) : undefined}
      {data === undefined || data.rows.length === 0 ? undefined : (
        <SandboxForm namespace={namespace} workloads={data} />
      )}
    </>
  );
}

function SandboxForm({
  namespace,
  workloads: { rows, mayCreate },
}: {
  readonly namespace: string;
  readonly workloads: WorkloadList;
}): JSX.Element {
  const [form, setForm] = useState<Form>(() => ({ name: "", ttl: "", routingKey: "", entries: [newEntry(0, rows)] }));
  const [preview, setPreview] = useState<SandboxPreview>();
  const [problem, setProblem] = useState("");
  const [isSending, setIsSending] = useState(false);
  /** Number of changes of the form. A preview counts only for the form that was sent. */
  const version = useRef(0);
  const nextId = useRef(1);
  const change = (part: Partial<Form>): void => {
    version.current += 1;
    setPreview(undefined);
    setForm((before) => ({ ...before, ...part }));
  };
  const changeEntry = (id: number, part: Partial<FormEntry>): void =>
    change({ entries: form.entries.map((entry) => (entry.id === id ? { ...entry, ...part } : entry)) });
  const body = { ...form, namespace, entries: form.entries.map(entryBody) };
  const send = async (write: () => Promise<void>): Promise<void> => {
    setIsSending(true);
    setProblem("");
    await write();
    setIsSending(false);
  };
  const requestPreview = async (): Promise<void> => {
    const sent = version.current;
    const response = await requestWrite<SandboxPreview>("preview-sandbox", body);
    if (sent !== version.current) return;
    if ("refused" in response) setProblem(response.refused);
    else setPreview(response.value);
  };
  const create = async (): Promise<void> => {
    const refused = await sendWrite("create-sandbox", body);
    if (refused !== undefined) setProblem(refused);
    else navigate(objectPath("resource", { ...sandboxKind, namespace, name: form.name.trim() }));
  };
  return (
    <>
      <form
        class="explain"
        onSubmit={(event) => {
          event.preventDefault();
          void send(requestPreview);
        }}
      >
        <Input label="Name" value={form.name} set={(name) => change({ name })} required />
        <Input label="Lifetime" value={form.ttl} set={(ttl) => change({ ttl })} placeholder="such as 8h or 2d" />
        <Input
          label="Routing key"
          value={form.routingKey}
          set={(routingKey) => change({ routingKey })}
          placeholder="generated"
        />
        {form.entries.map((entry) => (
          <Entry
            key={entry.id}
            entry={entry}
            rows={rows}
            change={(part) => changeEntry(entry.id, part)}
            remove={
              form.entries.length === 1
                ? undefined
                : () => change({ entries: form.entries.filter(({ id }) => id !== entry.id) })
            }
          />
        ))}
        <div class="wide buttons">
          <button
            type="button"
            onClick={() => {
              change({ entries: [...form.entries, newEntry(nextId.current, rows)] });
              nextId.current += 1;
            }}
          >
            Add a workload
          </button>
          <button type="submit" disabled={isSending}>
            Preview
          </button>
        </div>
      </form>
      <p role="alert" class={problem === "" ? "" : "note problem"}>
        {problem}
      </p>
      {preview === undefined ? undefined : (
        <Preview preview={preview}>
          {mayCreate ? (
            <button type="button" disabled={isSending || preview.denials.length > 0} onClick={() => void send(create)}>
              Create
            </button>
          ) : (
            <p class="note unknown">You are not allowed to create Sandboxes in namespace {namespace}.</p>
          )}
        </Preview>
      )}
    </>
  );
}

const sandboxKind = { group: "sandbox.example.com", kind: "Sandbox" };

function Entry({
  entry: { workload, container, image, env },
  rows,
  change,
  remove,
}: {
  readonly entry: FormEntry;
  readonly rows: readonly WorkloadRow[];
  readonly change: (part: Partial<FormEntry>) => void;
  /** Undefined for the only entry. */
  readonly remove: (() => void) | undefined;
}): JSX.Element {
  const row = rows.find((one) => idOf(one) === workload);
  const baseline = row?.containers.find(({ name }) => name === container)?.image ?? "";
  return (
    <fieldset class="wide explain">
      <legend>{row?.name ?? workload}</legend>
      <label>
        Workload
        <select
          value={workload}
          onChange={({ currentTarget: { value } }) =>
            change({ workload: value, container: firstContainer(rows.find((one) => idOf(one) === value)) })
          }
        >
          {rows.map((one) => (
            <option key={idOf(one)} value={idOf(one)}>
              {one.name} ({one.kind})
            </option>
          ))}
        </select>
      </label>
      <label>
        Container
        <select value={container} onChange={({ currentTarget: { value } }) => change({ container: value })}>
          {row?.containers.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <Input label="Image" value={image} set={(value) => change({ image: value })} placeholder={baseline} />
      <label class="wide">
        Environment, one variable per line: NAME=value sets it, NAME- removes it
        <textarea rows={3} value={env} onInput={({ currentTarget: { value } }) => change({ env: value })} />
      </label>
      {remove === undefined ? undefined : (
        <button type="button" onClick={remove}>
          Remove
        </button>
      )}
    </fieldset>
  );
}

function Input({
  label,
  value,
  set,
  placeholder,
  required,
}: {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly placeholder?: string;
  readonly required?: boolean;
}): JSX.Element {
  return (
    <label>
      {label}
      <input
        type="text"
        value={value}
        placeholder={placeholder}
        required={required}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </label>
  );
}

/** The verdict of admission, the effects and the manifest, with a button that creates the sandbox. */
function Preview({
  preview: { yaml, denials, warnings, effects, notes },
  children,
}: {
  readonly preview: SandboxPreview;
  readonly children: JSX.Element;
}): JSX.Element {
  const isAllowed = denials.length === 0;
  return (
    <Section title="Preview">
      <Notes notes={notes} />
      <div aria-live="polite">
        <p class={`note verdict ${isAllowed ? "ready" : "problem"}`}>
          {isAllowed ? "The sandbox is valid, and the policies allow it." : "The API server would refuse the sandbox:"}
        </p>
        <Lines lines={denials} />
        {warnings.length === 0 ? undefined : <h3>Warnings</h3>}
        <Lines lines={warnings} />
        {effects.length === 0 ? undefined : <h3>Effects</h3>}
        <Lines lines={effects} />
      </div>
      {children}
      <h3>Manifest</h3>
      <pre class="log" tabIndex={0} role="region" aria-label="Manifest">
        {yaml}
      </pre>
      <CopyButton text={yaml} label="the manifest" />
    </Section>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }): JSX.Element | null {
  return lines.length === 0 ? null : (
    <ul>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function newEntry(id: number, rows: readonly WorkloadRow[]): FormEntry {
  const [first] = rows;
  return { id, workload: first === undefined ? "" : idOf(first), container: firstContainer(first), image: "", env: "" };
}

/** Returns an entry as the server reads it. */
function entryBody({ workload, container, image, env }: FormEntry): object {
  const [kind, name] = workload.split(" ");
  return { kind, name, container, image, env };
}

function idOf({ kind, name }: WorkloadRow): string {
  return `${kind} ${name}`;
}

function firstContainer(row: WorkloadRow | undefined): string {
  return row?.containers[0]?.name ?? "";
}
