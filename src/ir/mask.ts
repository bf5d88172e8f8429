/**
 * Words that make a variable's name say that its value is secret. Short ones only count as a whole
 * part of the name: `PAT` in `GITHUB_PAT`, not in `PATH`.
 */
const SECRET = [
  'TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|CREDENTIAL|COOKIE|BEARER|AUTHORIZATION',
  '(?:PRIVATE|API|SSL|TLS|ACCESS|SIGNING|ENCRYPTION|SSH|DEPLOY|MASTER|LICEN[CS]E)[_-]?KEY',
  '(?<![A-Z0-9])(?:PASS|PAT|AUTH|JWT|CREDS)(?![A-Z0-9])',
  '(?<=_)PWD(?![A-Z0-9])',
].join('|');

let secretPattern: RegExp | undefined;

/** Whether a variable's name says that its value must not be shown. */
export function isSecret(name: string): boolean {
  // Compiled on use, because most starts need no name.
  secretPattern ??= new RegExp(SECRET, 'i');
  return secretPattern.test(name);
}

/** The only way in which the tool shows a variable's value. */
export function maskValue(name: string, value: string): string {
  return isSecret(name) ? '***' : value;
}
