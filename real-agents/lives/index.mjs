import * as agentCrash from './agent-crash.mjs';
import * as agents from './agents.mjs';
import * as allTogether from './all-together.mjs';
import * as background from './background.mjs';
import * as compaction from './compaction.mjs';
import * as crash from './crash.mjs';
import * as edits from './edits.mjs';
import * as end from './end.mjs';
import * as handoff from './handoff.mjs';
import * as mcp from './mcp.mjs';
import * as plugin from './plugin.mjs';
import * as pluginAndInit from './plugin-and-init.mjs';
import * as push from './push.mjs';
import * as resume from './resume.mjs';
import * as skills from './skills.mjs';
import * as terminal from './terminal.mjs';
import * as twoAgents from './two-agents.mjs';
import * as unfinished from './unfinished.mjs';

/** The lives, under the names that --life takes. */
export const LIVES = {
  edits,
  agents,
  background,
  handoff,
  unfinished,
  push,
  compaction,
  resume,
  crash,
  'agent-crash': agentCrash,
  end,
  plugin,
  'plugin-and-init': pluginAndInit,
  'two-agents': twoAgents,
  'all-together': allTogether,
  mcp,
  skills,
  terminal,
};
