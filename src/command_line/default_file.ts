/** Where the workflow file is looked for. */
export const DEFAULT_FILE = '.cli/workflow.json';
