/** Names of the settings. */
export const settingNames = ["namespace", "tunnel", "machine"] as const;

export type SettingName = (typeof settingNames)[number];

/** Texts about settings, for help. */
export const settingTexts: Readonly<Record<SettingName, string>> = {
  namespace: "namespace of commands without --namespace",
  tunnel: "address of the tunnel server, such as tunnel.example.com:7443, instead of the one of the LocalWorkload",
  machine: "name of this machine that other users see, instead of its host name",
};

export type Settings = Readonly<Partial<Record<SettingName, string>>>;
