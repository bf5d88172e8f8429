import { createPrivateKey } from 'node:crypto';
import { printDocument, type Layout } from './document.ts';
import { EXIT, say, type Io } from './io.ts';

/** `auth status`: which credentials the environment holds. Never shows a byte of the key. */
export function authStatus(io: Io, layout: Layout): number {
  const keyId = io.env['CLI_KEY_ID'] || null;
  const issuerId = io.env['CLI_ISSUER_ID'] || null;
  const key = findKey(io.env);
  const missing = [
    ...(keyId === null ? ['CLI_KEY_ID'] : []),
    ...(issuerId === null ? ['CLI_ISSUER_ID'] : []),
    ...(key.kind === 'missing' ? ['CLI_PRIVATE_KEY (or CLI_PRIVATE_KEY_B64)'] : []),
  ];
  say(
    io,
    missing.map((name) => `cli: not authenticated: ${name} is not set`),
  );
  if (key.kind === 'not base64') {
    say(io, ['cli: not authenticated: CLI_PRIVATE_KEY_B64 is not valid base64']);
  }
  if (key.kind === 'found' && !isPrivateKey(key.text)) {
    say(io, [`cli: warning: ${key.variable} does not hold a private key in PEM format`]);
  }
  const authenticated = keyId !== null && issuerId !== null && key.kind === 'found';
  const document = {
    authenticated,
    key_id: keyId,
    issuer_id: issuerId,
    private_key: key.kind === 'found' ? key.variable : null,
  };
  return printDocument(io, document, layout, authenticated ? EXIT.ok : EXIT.no);
}

type Key =
  | { readonly kind: 'found'; readonly variable: string; readonly text: string }
  | { readonly kind: 'not base64' }
  | { readonly kind: 'missing' };

function findKey(env: Io['env']): Key {
  const plain = env['CLI_PRIVATE_KEY'];
  if (plain) return { kind: 'found', variable: 'CLI_PRIVATE_KEY', text: plain };
  const encoded = env['CLI_PRIVATE_KEY_B64']?.replace(/\s/g, '');
  if (!encoded) return { kind: 'missing' };
  const variable = 'CLI_PRIVATE_KEY_B64';
  // RFC 4648, section 4; Node's decoder would skip whatever is not base64.
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded);
  if (!isBase64) return { kind: 'not base64' };
  return { kind: 'found', variable, text: Buffer.from(encoded, 'base64').toString('utf8') };
}

function isPrivateKey(text: string): boolean {
  try {
    createPrivateKey({ key: text, format: 'pem' });
    return true;
  } catch (error) {
    // An encrypted key is in PEM format too; it only cannot be opened without its passphrase.
    return error instanceof Error && 'code' in error && error.code === 'ERR_MISSING_PASSPHRASE';
  }
}
