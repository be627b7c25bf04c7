import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { YamlLine } from "../../api/types.ts";

/** The object as YAML. Each line names the field managers that own its field; one of them can be highlighted. */
export function Yaml({ lines }: { readonly lines: readonly YamlLine[] }): JSX.Element {
  const [chosen, setChosen] = useState("");
  const managers = [...new Set(lines.flatMap((line) => line.managers))].sort();
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          Field manager
          <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            <option value="">All</option>
            {managers.map((manager) => (
              <option key={manager}>{manager}</option>
            ))}
          </select>
        </label>
      </form>
      <div class="scroll yaml" tabIndex={0} role="region" aria-label="YAML">
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Managers</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line, index) => (
              <tr key={index} class={chosen !== "" && line.managers.includes(chosen) ? "chosen" : ""}>
                <td>
                  <code>{line.text}</code>
                </td>
                <td>{line.managers.join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
