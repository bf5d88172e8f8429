/** The variable with the directory in which the tool was started. The tool sets it for every command. */
export const CALLER_DIRECTORY = 'CLI_CALLER_DIR';

/** The reference to it, which linked plans keep: a plan is the same in every directory. */
export const CALLER_REFERENCE = `\${vars.${CALLER_DIRECTORY}}`;
