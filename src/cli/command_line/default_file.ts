/** The path of the default workflow file. */
export const DEFAULT_FILE = '.cli/workflow.json';
