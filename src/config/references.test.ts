// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration look like templates
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResolver } from './references.ts';

const resolve = createResolver({ TOKEN: 't0ken', EMPTY: '' });
const resolveOne = (text: string) => resolve({ text });

describe('createResolver', () => {
  it.each([
    ['${env:TOKEN}', 't0ken'],
    ['${TOKEN}', 't0ken'],
    ['Bearer ${env:TOKEN}, ${TOKEN}', 'Bearer t0ken, t0ken'],
    ['${env:NONE:-default}', 'default'],
    ['${NONE:-}', ''],
    ['${EMPTY}', ''],
    ['${EMPTY:-default}', 'default'],
    ['${TOKEN:-default}', 't0ken'],
    ['${NONE:-a:-b}', 'a:-b'],
    ['$TOKEN {TOKEN} $ {} ${} ${1+2}', '$TOKEN {TOKEN} $ {} ${} ${1+2}'],
  ])('turns %s into %j', (text, expected) => {
    expect(resolveOne(text)).toMatchObject({ ok: true, options: { text: expected } });
  });

  it('resolves texts at any depth and leaves everything else as it is', () => {
    const options = { env: { A: '${TOKEN}' }, args: ['-x', '${TOKEN}', 1, null], flag: true };
    expect(resolve(options)).toEqual({
      ok: true,
      options: { env: { A: 't0ken' }, args: ['-x', 't0ken', 1, null], flag: true },
      values: ['t0ken'],
    });
  });

  it('reports all missing references together, each once', () => {
    const options = { a: '${env:Z} ${A}', b: ['${Z}', '${secret:KEY}'] };
    expect(resolve(options)).toEqual({ ok: false, missing: ['A', 'Z', 'secret:KEY'] });
  });

  it('does not take what every object inherits for a variable', () => {
    expect(resolveOne('${constructor}${__proto__}')).toEqual({
      ok: false,
      missing: ['__proto__', 'constructor'],
    });
  });

  it('does not resolve what a value looks like', () => {
    expect(createResolver({ A: '${B}', B: 'b' })({ a: '${A}' })).toEqual({
      ok: true,
      options: { a: '${B}' },
      values: ['${B}'],
    });
  });

  it('tells what the references stood for, and nothing that is written down', () => {
    const secrets = () => new Map([['KEY', 'k3y']]);
    const options = { args: ['--key=${secret:KEY}', '${TOKEN:-plain}', '${NONE:-plain}', '${EMPTY}'] };
    expect(createResolver({ TOKEN: 't0ken', EMPTY: '' }, secrets)(options)).toMatchObject({
      values: ['k3y', 't0ken'],
    });
  });

  it('leaves options without references as they are', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string(),
          fc.string().filter((text) => !text.includes('${')),
        ),
        (options) => {
          expect(resolve(options)).toEqual({ ok: true, options, values: [] });
        },
      ),
    );
  });
});
