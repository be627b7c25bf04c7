import { builtInRelease } from "../resources/release.ts";

/** Content of `/version`. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** Returns the Kubernetes version that this server emulates, in the format of kube-apiserver. */
export function versionInfo(release: string = builtInRelease): VersionInfo {
  const [major = "1", minor = "0"] = release.replace(/^v/, "").split(".");
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `v${release.replace(/^v/, "")}`,
    gitCommit: "$Format:%H$",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    // There is no Go here, but some clients parse the field.
    goVersion: "go1.26.8",
    compiler: "gc",
    platform: "linux/amd64",
  };
}
