import { isRecord, ownValue } from "@homeostat/core";
import type { JSX } from "preact";
import { listIn, textIn } from "../../health/fields.ts";
import { CopyButton } from "../common/copy-button.tsx";
import { DataTable, Section } from "../common/parts.tsx";

/** Preview addresses in the status of a Sandbox or RouteGroup; nothing if there are none. */
export function Endpoints({ status }: { readonly status: unknown }): JSX.Element {
  const endpoints = listIn(status, "endpoints");
  if (endpoints.length === 0) return <></>;
  return (
    <Section title="Preview addresses">
      <DataTable label="Preview addresses" columns={["Name", "Address", "Authentication", "State"]}>
        {endpoints.map((endpoint) => {
          const [name, url] = [textIn(endpoint, "name"), textIn(endpoint, "url")];
          const isReady = isRecord(endpoint) && ownValue(endpoint, "ready") === true;
          return (
            <tr key={name}>
              <td>{name}</td>
              <td>
                {/^https?:\/\//.test(url) ? (
                  <>
                    <a href={url} rel="noreferrer noopener" target="_blank">
                      {url}
                    </a>{" "}
                    <CopyButton text={url} label={`the address of ${name}`} />
                  </>
                ) : (
                  url
                )}
              </td>
              <td>{textIn(endpoint, "auth")}</td>
              <td>
                {isReady ? "Ready" : textIn(endpoint, "reason") || "Not ready"} {textIn(endpoint, "message")}
              </td>
            </tr>
          );
        })}
      </DataTable>
    </Section>
  );
}
