const NO_PLUGIN = 'it does not load plugins of Claude Code';

/** The rows that a client without the plugin of Claude Code cannot have. */
export const WITHOUT_PLUGIN = {
  plugin: NO_PLUGIN,
  pluginAndInit: NO_PLUGIN,
  allTogether: 'it reads neither the settings of Claude Code nor those of Copilot CLI; with these alone, no hook ran',
};

/** The rows that a client without a daemon cannot have. */
export const WITHOUT_DAEMON = {
  trust: 'it asks about folders, not about hooks',
  terminal: 'it has no daemon; once its terminal interface is closed, none of its processes is left',
};
