import { secretsOf } from './secret_checker.ts';
import { checkSecretUses } from './secret_uses.ts';

/** The checks of secrets. Loaded only for files that may declare or list some. */
export const SECRET_CHECKERS = { secretsOf, checkSecretUses } as const;

export type SecretCheckers = typeof SECRET_CHECKERS;
