import { isSet, numberAt, textAt, valueAt } from "../../../values/fields.ts";
import { nameOf, textOr, since } from "../../../tables/cell-text.ts";

/** Returns the table cells of an event of either group. */
export function eventCells(object: unknown, nowMs: number): unknown[] {
  const old = (name: string, later: string): unknown => valueAt(object, name) ?? valueAt(object, later);
  const oldText = (name: string, later: string): string => textOr(textAt(object, name), textAt(object, later));
  const about = old("involvedObject", "regarding");
  const first = old("firstTimestamp", "deprecatedFirstTimestamp");
  const last = old("lastTimestamp", "deprecatedLastTimestamp");
  const series = valueAt(object, "series");
  const count = Number(old("count", "deprecatedCount") ?? 0);
  const source = old("source", "deprecatedSource");
  const component = textOr(textAt(source, "component"), oldText("reportingComponent", "reportingController"));
  const host = textOr(textAt(source, "host"), textAt(object, "reportingInstance"));
  const kind = textAt(about, "kind").toLowerCase();
  const name = textAt(about, "name");
  const firstSeen = since(isSet(first) ? first : valueAt(object, "eventTime"), nowMs);
  return [
    isSet(series) ? since(valueAt(series, "lastObservedTime"), nowMs) : isSet(last) ? since(last, nowMs) : firstSeen,
    textAt(object, "type"),
    textAt(object, "reason"),
    name === "" ? kind : `${kind}/${name}`,
    textAt(about, "fieldPath"),
    host === "" ? component : `${component}, ${host}`,
    oldText("message", "note").trim(),
    firstSeen,
    isSet(series) ? numberAt(series, "count") : count === 0 ? 1 : count,
    nameOf(object),
  ];
}
