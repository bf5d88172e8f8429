/* Checks of arguments, which programs in JavaScript may get wrong. */

export function checkString(name: string, value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string`);
}

/** Checks a value that may be absent. */
function checkOptional(name: string, value: unknown, check: Check): void {
  if (value !== undefined) check(name, value);
}

/** The check of a value with a name. */
type Check = (name: string, value: unknown) => void;

/** Checks the members of an object of options, each of which may be absent. */
export function checkOptions(options: unknown, checks: Readonly<Record<string, Check>>): void {
  checkObject('options', options);
  for (const [name, check] of Object.entries(checks))
    checkOptional(`options.${name}`, Reflect.get(options, name), check);
}

export function checkObject(name: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${name} must be an object`);
}

export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(`${name} must be a function`);
}

export function checkBoolean(name: string, value: unknown): void {
  if (typeof value !== 'boolean') throw new TypeError(`${name} must be true or false`);
}

/** Checks the name or the number of a step. */
export function checkStep(name: string, value: unknown): void {
  if (typeof value !== 'number') checkString(name, value);
}

/** Checks a text or the bytes of one. */
export function checkText(name: string, value: unknown): void {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) {
    throw new TypeError(`${name} must be a string or a Uint8Array`);
  }
}

export function checkFiles(name: string, value: unknown): void {
  checkObject(name, value);
  checkFunction(`${name}.read`, 'read' in value ? value.read : undefined);
  checkOptional(`${name}.realPath`, 'realPath' in value ? value.realPath : undefined, checkFunction);
}

/** Checks an object whose values are strings. */
export function checkStrings(name: string, value: unknown): void {
  checkObject(name, value);
  for (const [key, text] of Object.entries(value)) checkString(`${name}.${key}`, text);
}

/** Checks an environment, whose values are strings or undefined. */
export function checkEnvironment(name: string, value: unknown): void {
  checkObject(name, value);
  for (const [key, text] of Object.entries(value)) checkOptional(`${name}.${key}`, text, checkString);
}
