/** The definition of a tool, if a request has it. */
export const definitionIn = ({ tools }, name) => tools.find((tool) => tool.name === name);
