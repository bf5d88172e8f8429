const nothing = (): void => undefined;

/** Keeps the engine from printing. */
export const NO_LOG = { info: nothing, debug: nothing, warn: nothing, error: nothing };
