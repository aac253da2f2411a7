import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quickestOf } from '../../../../test/support/quickest.ts';
import { hideDiff } from './hide-diff.ts';

function toDiff(path: string, ...lines: readonly string[]): string {
  return [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`, '@@ -1 +1 @@', ...lines].join(
    '\n',
  );
}

const FORMS: readonly (readonly [string, (secret: string) => string])[] = [
  ['.env', (secret) => `+API_KEY=${secret}`],
  ['deploy/.env.local', (secret) => `-export DB_PASSWORD=${secret}`],
  ['config.yaml', (secret) => `+  password: ${secret}`],
  ['config.yml', (secret) => `+  - client_secret: "${secret}"`],
  ['a.toml', (secret) => ` token = "${secret}"`],
  ['a.json', (secret) => `+  "accessToken": "${secret}",`],
  ['a.ts', (secret) => `+const apiKey: string = '${secret}';`],
  ['a.ts', (secret) => `+  headers: { Authorization: \`Bearer ${secret}\` },`],
  ['a.py', (secret) => `+os.environ["X"] = ""; password = "${secret}"`],
  ['a.go', (secret) => `+	secret := "${secret}"`],
  ['a.rb', (secret) => `+  :password => "${secret}",`],
  ['Dockerfile', (secret) => `+ENV NPM_TOKEN=${secret}`],
  ['.netrc', (secret) => `+password ${secret}`],
  ['.npmrc', (secret) => `+//registry.example/:_authToken=${secret}`],
  ['a.js', (secret) => `+connect("postgres://app:${secret}@db/x")`],
];

describe('a diff without its secrets', () => {
  it.each(FORMS)('hides what %s is told, whatever it is', (path, toLine) => {
    const secret = fc
      .stringMatching(/^[a-z]{3}[A-Za-z0-9]{5,20}$/)
      .filter((text) => !/^(true|false|none)$/i.test(text));
    fc.assert(
      fc.property(secret, (value) => {
        const { text, hidden } = hideDiff(toDiff(path, toLine(value)));
        expect(text).not.toContain(value);
        expect(hidden).toBe(1);
      }),
    );
  });

  it('leaves code, prose and references alone', () => {
    const code = toDiff(
      'a.ts',
      '+const token = await readToken(secret);',
      '+  password: string;',
      '+if (key === other.key) return tokens.map((token) => token.text);',
      '+export class AuthorizationServerMetadataReader {}',
      '+      "integrity": "sha512-Vh3Zk0bQf8QxA1b2C3d4E5f6G7h8I9j0kLmNoPqRsTuVwXyZ==",',
      '+const url = "https://example.com/docs/authorization";',
    );
    expect(hideDiff(code)).toEqual({ text: code, hidden: 0 });
    const yaml = toDiff('a.yaml', `+token: \${secret:GITHUB}`, '+name: ci');
    expect(hideDiff(yaml)).toEqual({ text: yaml, hidden: 0 });
    const prose = toDiff('README.md', '+The token is kept in the store.', '+keys are sorted');
    expect(hideDiff(prose)).toEqual({ text: prose, hidden: 0 });
  });

  it('hides the whole of a private key, and no more', () => {
    const key = toDiff(
      'k.pem',
      '+-----BEGIN RSA PRIVATE KEY-----',
      '+abc',
      '+de',
      '+-----END RSA PRIVATE KEY-----',
      '+after',
    );
    const { text } = hideDiff(key);
    expect(text).not.toContain('abc');
    expect(text).not.toContain('+de');
    expect(text).toContain('+after');
  });

  it('keeps names of files, also of one that was taken away', () => {
    const gone = [
      'diff --git a/.env b/.env',
      'deleted file mode 100644',
      '--- a/.env',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-TOKEN=abcd1234',
    ].join('\n');
    expect(hideDiff(gone).text).toBe(gone.replace('abcd1234', '(hidden)'));
  });

  it('is quick with a line that never ends', async () => {
    const long = ['a'.repeat(200_000), 'a="'.repeat(50_000), 'key: '.repeat(40_000), 'a://'.repeat(50_000)];
    const took = await quickestOf(3, () => {
      for (const line of long) hideDiff(toDiff('a.yaml', `+${line}`));
    });
    expect(took).toBeLessThan(2_000);
  });

  it('is not led astray by lines that look like headers', () => {
    const sly = toDiff('a.env', '--- password=abcd1234', '+++ b/x.ts', '+TOKEN=efgh5678');
    const { text } = hideDiff(sly);
    expect(text).not.toContain('efgh5678');
    expect(text).not.toContain('abcd1234');
  });
});
