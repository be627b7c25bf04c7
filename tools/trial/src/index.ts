export { type Right, grant } from "./grant.ts";
export {
  asksForRights,
  type CrashPoint,
  type Fault,
  type Life,
  MortalTransport,
  type Sent,
} from "./mortal-transport.ts";
export { openPlace, type Pace, type Place, type Running, type RunPlan, Trial } from "./trial.ts";
