const nothing = (): void => undefined;

/** A logger that discards all messages of the engine. */
export const NO_LOG = { info: nothing, debug: nothing, warn: nothing, error: nothing };
