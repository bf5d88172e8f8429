import type { Choices, StartAction } from '../../../../src/internal.ts';
import type { Fields } from './body.ts';

/** A request to start a run, with the digest of its preview. */
type StartBody = Choices & Readonly<{ digest: string | undefined }>;

/** The fields of each action. A new run has no decisions to make. */
const FIELDS: Readonly<Record<StartAction, ReadonlySet<string>>> = {
  resume: new Set(['digest', 'confirmed', 'changed', 'on_crash', 'done', 'rerun']),
  again: new Set(['digest', 'confirmed']),
};

/** The body of a request to start something; undefined if it is malformed. */
export function startBody(action: StartAction, body: Fields): StartBody | undefined {
  const [digest, confirmed] = [body.get('digest'), body.get('confirmed')];
  const [changed, onCrash] = [body.get('changed'), body.get('on_crash')];
  const [done, rerun] = [stepNames(body.get('done')), stepNames(body.get('rerun'))];
  if ([...body.keys()].some((name) => !FIELDS[action].has(name))) return undefined;
  if (digest !== undefined && !(typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest))) return undefined;
  if (confirmed !== undefined && confirmed !== true) return undefined;
  if (changed !== undefined && changed !== 'keep' && changed !== 'rerun') return undefined;
  if (onCrash !== undefined && onCrash !== 'rerun' && onCrash !== 'fail') return undefined;
  if (done === undefined || rerun === undefined) return undefined;
  return {
    digest,
    confirmed: confirmed === true,
    ...(changed !== undefined && { changed }),
    ...(onCrash !== undefined && { onCrash }),
    done,
    rerun,
  };
}

/** The names of steps, which are looked up among those of the run. An empty one would be no value of a flag. */
function stepNames(value: unknown = []): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const given: readonly unknown[] = value;
  const names = given.filter((name): name is string => typeof name === 'string' && name !== '');
  return names.length === given.length ? names : undefined;
}
