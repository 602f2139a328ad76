const NO_PLUGIN = 'it does not load plugins of Claude Code';

/** The rows that a client without the plugin of Claude Code cannot have. */
export const WITHOUT_PLUGIN = {
  plugin: NO_PLUGIN,
  pluginAndInit: NO_PLUGIN,
  allTogether: 'it reads neither the settings of Claude Code nor those of Copilot CLI; with these alone, no hook ran',
};
