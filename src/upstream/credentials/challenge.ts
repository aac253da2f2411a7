/** Reads what a server says when it refuses a request, and reckons with scopes. */

/** What a challenge may say. */
export interface ChallengeParts {
  readonly scope: string | undefined;
  readonly resourceMetadataUrl: URL | undefined;
  readonly error: string | undefined;
}

/** The longest list of scopes we ask for or show. */
const MAX_SCOPE_LENGTH = 1_000;
/** RFC 6749, 3.3: what a scope may consist of. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Reads the text of `WWW-Authenticate`; what is not there or malformed is undefined. */
export function parseChallenge(header: string | undefined): ChallengeParts {
  const url = paramOf(header, 'resource_metadata');
  return {
    scope: toUnion(paramOf(header, 'scope')),
    resourceMetadataUrl: url !== undefined && URL.canParse(url) ? new URL(url) : undefined,
    error: paramOf(header, 'error'),
  };
}

/** True when the refusal is one that other credentials may turn. */
export function wantsCredentials(status: number | undefined, header: string | undefined): boolean {
  return status === 401 || (status === 403 && parseChallenge(header).error === 'insufficient_scope');
}

/** Every scope in any of the lists, once; undefined when there is none. */
export function toUnion(...lists: readonly (string | undefined)[]): string | undefined {
  const scopes = new Set(
    lists.flatMap((list) => list?.split(/\s+/) ?? []).filter((each) => SCOPE.test(each)),
  );
  const union = [...scopes].join(' ');
  return union === '' || union.length > MAX_SCOPE_LENGTH ? undefined : union;
}

function paramOf(header: string | undefined, name: string): string | undefined {
  const match = new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]*)"|([^\\s,]+))`).exec(header ?? '');
  return match?.[1] ?? match?.[2];
}
